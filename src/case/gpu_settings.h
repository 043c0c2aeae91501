#pragma once
// What a call on a GPU meets beside its operands.

namespace indexfuzz {

/// Only GPUs with numbers below it are used.
inline constexpr int kMaxDevices = 16;
/// Threads of a process that call PyTorch's own operators on a GPU at the same time.
inline constexpr int kMaxGpuLanes = 8;

/// Calls on the CPU know of the deterministic flag alone.
struct GpuSettings {
  bool side_stream = false;    ///< the current stream is not the default one, and still at work on
                               ///< the operands when the call begins
  bool deterministic = false;  ///< torch.use_deterministic_algorithms
  bool other_device = false;   ///< the current device is not the operands', where there are two
  bool busy_memory = false;    ///< another stream reads memory all over meanwhile
  bool operator==(const GpuSettings&) const = default;
};

}  // namespace indexfuzz
