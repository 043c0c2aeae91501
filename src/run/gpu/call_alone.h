#pragma once
// A single case on a GPU.

#include <span>

#include "run/session/session.h"

namespace indexfuzz {

/// A case, with its rule applied.
struct AloneCall {
  const Case& applied;
  bool illegal = false;
  Unjudged unjudged = Unjudged::kNo;
  /// Legal cases of the same form and settings that are called right after it and are not judged. A
  /// kernel that is still at work then, and reads memory that they write, is found out.
  std::span<const Case> later = {};
};

/// Lays the case out on the implementation's GPU, calls and judges it; leaves what came back in the
/// session's observation. Ends the process after an error of the device.
Verdict call_on_device(Session& session, const AloneCall& alone, std::size_t implementation,
                       const Plan& plan);

}  // namespace indexfuzz
