#include "run/cuda/driver.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "run/cuda/checks.h"

namespace indexfuzz::cuda {
namespace {

constexpr std::int64_t kGap = std::int64_t{2} << 20;

template <typename Function>
Function* entry(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  if (cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result) !=
          cudaSuccess ||
      result != cudaDriverEntryPointSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return reinterpret_cast<Function*>(found);
}

struct Driver {
  decltype(&cuMemAddressReserve) reserve =
      entry<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(&cuMemCreate) create = entry<decltype(cuMemCreate)>("cuMemCreate");
  decltype(&cuMemMap) map = entry<decltype(cuMemMap)>("cuMemMap");
  decltype(&cuMemSetAccess) set_access = entry<decltype(cuMemSetAccess)>("cuMemSetAccess");
  bool complete() const {
    return reserve != nullptr && create != nullptr && map != nullptr && set_access != nullptr;
  }
};

}  // namespace

unsigned char* map_between_gaps(int device, std::int64_t bytes) {
  static const Driver driver;
  if (!driver.complete()) return nullptr;
  const auto size = static_cast<std::size_t>(bytes);
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemGenericAllocationHandle memory = 0;
  CUdeviceptr address = 0;
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (driver.reserve(&address, size + 2 * kGap, 0, 0, 0) != CUDA_SUCCESS ||
      driver.create(&memory, size, &properties, 0) != CUDA_SUCCESS ||
      driver.map(address + kGap, size, 0, memory, 0) != CUDA_SUCCESS ||
      driver.set_access(address + kGap, size, &access, 1) != CUDA_SUCCESS) {
    return nullptr;
  }
  auto* const begin = reinterpret_cast<unsigned char*>(address + kGap);
  if (cudaMemsetAsync(begin, kCanary, size, cudaStreamLegacy) != cudaSuccess) return nullptr;
  return begin;
}

}  // namespace indexfuzz::cuda
