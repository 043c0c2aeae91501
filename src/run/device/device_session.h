#pragma once
// What a worker's calls on GPUs have in common: the devices that it has opened, what the supervisor
// may read while a call is under way, how errors end the process, verdicts.

#include <span>
#include <vector>

#include "run/device/device_call.h"
#include "run/session.h"

namespace indexfuzz {

/// What a child ends with after an error of the device, of which its slot tells.
inline constexpr int kDeviceErrorExit = 86;

/// Tells the supervisor what the device said, and ends: its context is of no use any more.
[[noreturn]] void end_with(Session& session, const DeviceError& error,
                           int exit_code = kDeviceErrorExit);

/// The GPU of an implementation, opened if that has not been done; ends the process where it
/// cannot.
Device& device_of(Session& session, std::size_t implementation);
void open_device_of(Session& session, std::size_t implementation);

/// Ends the process where the implementation was not compiled for this GPU: its launches fail, but
/// harm nothing.
void require_code(Session& session, const DeviceCall& call);

/// What the session's slot says of the call that is made; between them it is under way.
void begin_call(Session& session, const DeviceCall& call);
void end_call(Session& session);

/// The verdicts on the calls of a batch, in their order; of those not to be judged a plain one.
std::vector<Verdict> verdicts_on(Session& session, Device& device,
                                 std::span<const DeviceCall> calls);

}  // namespace indexfuzz
