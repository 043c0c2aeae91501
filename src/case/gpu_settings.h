#pragma once
// What a call on a GPU meets beside its operands.

#include <array>
#include <string_view>

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

/// One of them as it is written.
struct GpuSetting {
  bool GpuSettings::*is_on;
  std::string_view field, off, on;  ///< the text form: field=on; one that is off may be left out
  std::string_view words;           ///< what is so where it is on
};

/// All of them. Their order is part of the byte form and of findings' ids: new ones come last.
inline constexpr std::array<GpuSetting, 4> kGpuSettings{{
    {&GpuSettings::side_stream, "stream", "default", "side",
     "the current stream is a busy one of its own"},
    {&GpuSettings::deterministic, "algorithms", "any", "deterministic",
     "algorithms are deterministic"},
    {&GpuSettings::other_device, "current_device", "own", "other",
     "the current device is another one"},
    {&GpuSettings::busy_memory, "memory", "idle", "busy", "another stream reads memory"},
}};
static_assert(sizeof(GpuSettings) == kGpuSettings.size(), "one line each");

}  // namespace indexfuzz
