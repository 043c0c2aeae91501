#pragma once
// What the device's flags say about a call.

#include <optional>

#include "judge/judge.h"
#include "run/device/device_call.h"

namespace indexfuzz {

/// The verdict if the device's flags and the description of what came back settle it: the call
/// agreed, or was refused as it may be, and nothing else was touched; or it shows what only the
/// device tells: a CUDA error left behind, or what seen_on_device() finds. None: the host must
/// judge.
std::optional<Verdict> settled(const Device& device, int place, const DeviceCall& call,
                               const Standing& standing);

/// A finding that only the device's flags show, for a call with which nothing else is wrong: its
/// result was not there yet when it returned, or it wrote beside a slice that lies far away.
std::optional<Verdict> seen_on_device(const Device& device, const DeviceCall& call);

}  // namespace indexfuzz
