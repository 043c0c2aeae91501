#include "truth.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "each.cuh"

namespace kernels {
namespace {

struct WriteFlags {
  Truth truth;
  std::uint8_t* flags;

  HOST_DEVICE void operator()(std::int64_t i) const { flags[i] = truth(i) ? 1 : 0; }
};

struct Widen {
  __device__ std::int64_t operator()(std::uint8_t flag) const { return flag; }
};

auto widened(const std::uint8_t* flags) {
  return thrust::make_transform_iterator(flags, Widen{});
}

}  // namespace

LaunchError launch_flags(const Truth& truth, std::int64_t count, const Scratch& scratch,
                         Stream stream, const std::uint8_t*& flags) {
  const bool dense =
      truth.shape.rank == 0 || (truth.shape.rank == 1 && truth.strides.bytes[0] == 1);
  if (truth.is_bool && dense) {
    flags = reinterpret_cast<const std::uint8_t*>(truth.data);
    return nullptr;
  }
  auto* const fresh = static_cast<std::uint8_t*>(scratch(static_cast<std::size_t>(count)));
  flags = fresh;
  return OnDevice{count, stream}(WriteFlags{truth, fresh});
}

LaunchError launch_count(const std::uint8_t* flags, std::int64_t count, std::int64_t* set,
                         const Scratch& scratch, Stream stream) {
  return run_with_memory(scratch, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, widened(flags), set, count, stream);
  });
}

LaunchError launch_find(const std::uint8_t* flags, std::int64_t count, std::int64_t* numbers,
                        const Scratch& scratch, Stream stream) {
  auto* const how_many = static_cast<std::int64_t*>(scratch(sizeof(std::int64_t)));
  return run_with_memory(scratch, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<std::int64_t>(0),
                                      flags, numbers, how_many, count, stream);
  });
}

LaunchError launch_count_before(const std::uint8_t* flags, std::int64_t count, std::int64_t* before,
                                const Scratch& scratch, Stream stream) {
  return run_with_memory(scratch, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, widened(flags), before, count, stream);
  });
}

}  // namespace kernels
