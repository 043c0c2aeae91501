#pragma once
// The conditions, besides its operands, under which a call on a GPU runs.

#include <array>
#include <string_view>

namespace indexfuzz {

/// Only GPUs with smaller numbers are used.
inline constexpr int kMaxDevices = 16;
/// The most threads of a process that call PyTorch's own operators on a GPU at the same time.
inline constexpr int kMaxGpuLanes = 8;

/// On the CPU only `deterministic` has an effect.
struct GpuSettings {
  bool side_stream = false;    ///< the current stream is not the default one, and is still writing
                               ///< the operands when the call begins
  bool deterministic = false;  ///< torch.use_deterministic_algorithms
  bool other_device = false;   ///< the current device is not the operands', if there are two
  bool busy_memory = false;    ///< another stream reads much memory meanwhile
  /// With side_stream: other streams are idle, so that what a kernel hands to one of them comes too
  /// early unless that waits for the current one. Otherwise they stay busy for longer than the
  /// current one, so that a kernel which does not wait for them goes on too early.
  bool idle_others = false;
  bool operator==(const GpuSettings&) const = default;
};

/// How a setting is written.
struct GpuSetting {
  bool GpuSettings::*is_on;
  std::string_view field, off, on;  ///< text form: `field=on`; `field=off` may be left out
  std::string_view words;           ///< the setting in words, when it is on
};

/// All settings. Their order is part of the byte form and of findings' ids: new ones come last.
inline constexpr std::array<GpuSetting, 5> kGpuSettings{{
    {&GpuSettings::side_stream, "stream", "default", "side",
     "the current stream is a busy one of its own"},
    {&GpuSettings::deterministic, "algorithms", "any", "deterministic",
     "algorithms are deterministic"},
    {&GpuSettings::other_device, "current_device", "own", "other",
     "the current device is another one"},
    {&GpuSettings::busy_memory, "memory", "idle", "busy", "another stream reads memory"},
    {&GpuSettings::idle_others, "other_streams", "busy", "idle", "other streams are idle"},
}};
static_assert(sizeof(GpuSettings) == kGpuSettings.size(), "one line each");

}  // namespace indexfuzz
