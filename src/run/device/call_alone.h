#pragma once
// A case on a GPU, alone.

#include "run/session.h"

namespace indexfuzz {

/// Lays a case, with its rule applied, out on the implementation's GPU, calls and judges; leaves
/// what came back in the session's observation. Ends the process after an error of the device.
Verdict call_on_device(Session& session, const Case& applied, bool illegal, Unjudged unjudged,
                       std::size_t implementation, const Plan& plan);

}  // namespace indexfuzz
