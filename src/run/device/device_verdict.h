#pragma once
// What the device's flags say about a call.

#include <optional>

#include "judge/judge.h"
#include "run/device/device_call.h"

namespace indexfuzz {

/// The verdict where the device's flags and the description of what came back settle it: the call
/// agreed, or was refused as it may be, and nothing else was touched. None: the host must judge.
std::optional<Verdict> settled(const Device& device, int place, const DeviceCall& call,
                               const Standing& standing);

/// What only the device's flags tell, on a call with which nothing else is wrong: that its result
/// was not there yet when it returned, or that it wrote beside a slice that lies far away.
std::optional<Verdict> seen_on_device(const Device& device, const DeviceCall& call);

}  // namespace indexfuzz
