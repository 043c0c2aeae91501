#include "run/cuda/driver.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>

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

const Driver& driver() {
  static const Driver driver;
  return driver;
}

CUmemAllocationProp memory_of(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return properties;
}

}  // namespace

unsigned char* map_between_gaps(int device, std::int64_t bytes) {
  const auto piece = create_pieces(device, bytes, 1);
  unsigned char* const range = map_pieces(device, piece, std::array{kGap}, bytes + 2 * kGap);
  return range == nullptr ? nullptr : range + kGap;
}

std::vector<MemoryPiece> create_pieces(int device, std::int64_t bytes, std::int64_t count) {
  std::vector<MemoryPiece> pieces;
  const CUmemAllocationProp properties = memory_of(device);
  for (std::int64_t i = 0; i < count; ++i) {
    CUmemGenericAllocationHandle memory = 0;
    if (!driver().complete() ||
        driver().create(&memory, static_cast<std::size_t>(bytes), &properties, 0) != CUDA_SUCCESS)
      return {};
    pieces.push_back({memory, bytes});
  }
  return pieces;
}

unsigned char* map_pieces(int device, std::span<const MemoryPiece> pieces,
                          std::span<const std::int64_t> offsets, std::int64_t range) {
  CUdeviceptr address = 0;
  const CUmemAccessDesc access{memory_of(device).location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (pieces.size() != offsets.size() || pieces.empty() ||
      driver().reserve(&address, static_cast<std::size_t>(range), 0, 0, 0) != CUDA_SUCCESS)
    return nullptr;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto size = static_cast<std::size_t>(pieces[i].bytes);
    const CUdeviceptr at = address + static_cast<CUdeviceptr>(offsets[i]);
    if (driver().map(at, size, 0, pieces[i].handle, 0) != CUDA_SUCCESS ||
        driver().set_access(at, size, &access, 1) != CUDA_SUCCESS)
      return nullptr;
    const bool is_filled = i > 0 && pieces[i].handle == pieces[i - 1].handle;
    if (!is_filled && cudaMemsetAsync(reinterpret_cast<void*>(at), std::to_integer<int>(kCanary),
                                      size, cudaStreamLegacy) != cudaSuccess)
      return nullptr;
  }
  return reinterpret_cast<unsigned char*>(address);
}

}  // namespace indexfuzz::cuda
