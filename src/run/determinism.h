#pragma once
// Results that change from call to call though each of them is right.

#include <optional>

#include "run/session.h"

namespace indexfuzz {

/// Calls the implementation several times on the case that lies in the arena, under PyTorch's
/// deterministic flag, and compares what comes back bit for bit. None where the case has only one
/// right result, where a call refuses, or where nobody promised: a custom kernel does so with
/// --strict only.
std::optional<Verdict> find_changing_result(Session& session, std::size_t implementation,
                                            const Plan& plan);

}  // namespace indexfuzz
