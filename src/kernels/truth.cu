#include "truth.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "each.cuh"

namespace kernels {
namespace {

struct OneIfSet {
  Truth truth;

  __device__ std::int64_t operator()(std::int64_t i) const { return truth(i) ? 1 : 0; }
};

thrust::counting_iterator<std::int64_t> numbers() {
  return thrust::counting_iterator<std::int64_t>(0);
}
auto ones(const Truth& truth) {
  return thrust::make_transform_iterator(numbers(), OneIfSet{truth});
}

/// Asks a CUB algorithm how much memory it needs, and runs it with that.
template <class Algorithm>
LaunchError run_with_memory(const Scratch& scratch, const Algorithm& algorithm) {
  std::size_t bytes = 0;
  const cudaError_t error = algorithm(nullptr, bytes);
  if (error != cudaSuccess) return words_for(error);
  return words_for(algorithm(scratch(bytes), bytes));
}

}  // namespace

LaunchError launch_count(const Truth& truth, std::int64_t count, std::int64_t* set,
                         const Scratch& scratch, Stream stream) {
  return run_with_memory(scratch, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, ones(truth), set, count, stream);
  });
}

LaunchError launch_find(const Truth& truth, std::int64_t count, std::int64_t* found,
                        const Scratch& scratch, Stream stream) {
  auto* const how_many = static_cast<std::int64_t*>(scratch(sizeof(std::int64_t)));
  return run_with_memory(scratch, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, numbers(), found, how_many, count, truth, stream);
  });
}

LaunchError launch_count_before(const Truth& truth, std::int64_t count, std::int64_t* before,
                                const Scratch& scratch, Stream stream) {
  return run_with_memory(scratch, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, ones(truth), before, count, stream);
  });
}

}  // namespace kernels
