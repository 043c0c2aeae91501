#pragma once
// What a worker's calls on GPUs have in common: the devices that it has opened, what the supervisor
// may read while a call is under way, how errors end the process, verdicts.

#include <span>
#include <vector>

#include "run/gpu/device_call.h"
#include "run/session/session.h"

namespace indexfuzz {

/// Exit code of a child after an error of the device, which its slot describes.
inline constexpr int kDeviceErrorExit = 86;

/// Tells the supervisor what the device said, and ends this process: its context is of no use now.
[[noreturn]] void end_with(Session& session, const DeviceError& error,
                           int exit_code = kDeviceErrorExit);

/// The GPU of an implementation; opens it if this is its first use, and ends the process if that
/// fails.
Device& device_of(Session& session, std::size_t implementation);
void open_device_of(Session& session, std::size_t implementation);

/// Ends the process if the implementation was not compiled for this GPU: its launches fail, but
/// harm nothing.
void require_code(Session& session, const DeviceCall& call);

/// Between these two, the session's slot says that the call is under way.
void begin_call(Session& session, const DeviceCall& call);
void end_call(Session& session);

/// The verdicts on the calls of a batch, in their order; a default one for a call that is not
/// judged.
std::vector<Verdict> verdicts_on(Session& session, Device& device,
                                 std::span<const DeviceCall> calls);

}  // namespace indexfuzz
