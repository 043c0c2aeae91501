#pragma once
// Runs an element body on the device of its operands.

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include "launch.h"

namespace kernels {

using at::Tensor;

#ifdef INDEXFUZZ_CUDA
inline constexpr bool kCuda = true;
#else
inline constexpr bool kCuda = false;
#endif

Stream current_stream(c10::Device device);

inline void check_launch(LaunchError error) {
  TORCH_CHECK(error == nullptr, "the kernel could not be launched: ", error);
}

/// Runs the body of `args` for every i below `count`: on the CPU in a loop, on a GPU as a kernel on
/// the current stream of `device`, which must be the current device.
template <class Args>
void run(const Args& args, int64_t count, c10::Device device) {
  if (count == 0) return;
  if (device.is_cpu()) {
    with_body(args, [count](const auto& body) {
      for (int64_t i = 0; i < count; ++i) body(i);
    });
  } else if constexpr (kCuda) {
    check_launch(launch(args, count, current_stream(device)));
  }
}

}  // namespace kernels
