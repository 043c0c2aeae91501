#include "in_order.h"

#include <cub/device/device_radix_sort.cuh>

#include "each.cuh"

namespace kernels {

LaunchError launch_sort(const Indexed& indexed, std::int64_t count, const Scratch& scratch,
                        Stream stream, Order& order) {
  const auto numbers = [&] {
    return static_cast<std::int64_t*>(scratch(static_cast<std::size_t>(count) * 8));
  };
  std::int64_t* const destinations = numbers();
  std::int64_t* const elements = numbers();
  std::int64_t* const sorted_destinations = numbers();
  std::int64_t* const sorted_elements = numbers();
  const LaunchError error = OnDevice{count, stream}(Destinations{indexed, destinations, elements});
  if (error != nullptr) return error;
  order = {sorted_destinations, sorted_elements, count};
  return run_with_memory(scratch, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, destinations, sorted_destinations,
                                           elements, sorted_elements, count, 0, 64, stream);
  });
}

}  // namespace kernels
