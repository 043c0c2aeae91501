#pragma once
// What the device's flags say about a call.

#include <optional>

#include "judge/judge.h"
#include "run/gpu/device_call.h"

namespace indexfuzz {

/// The verdict on a call that needs no judge on the host. Either the call agreed, or was refused as
/// it may be, and touched nothing else, by the device's flags and the description of what came
/// back; or it shows what only the device tells: a CUDA error that it left behind, or what
/// seen_on_device() finds. None: the host must judge.
std::optional<Verdict> settled(const Device& device, int place, const DeviceCall& call,
                               const Standing& standing);

/// A finding that only the device's flags show, for a call with which nothing else is wrong: when
/// it returned, its result was not there yet, or it wrote beside one of the slices that lie far
/// apart.
std::optional<Verdict> seen_on_device(const Device& device, const DeviceCall& call);

}  // namespace indexfuzz
