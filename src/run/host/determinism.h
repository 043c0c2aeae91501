#pragma once
// Results that change from call to call though each of them is right.

#include <optional>

#include "run/session/session.h"

namespace indexfuzz {

/// Calls the implementation several times on the case in the arena, under PyTorch's deterministic
/// flag, and compares the results bit for bit. None if the case has only one right result, if a
/// call refuses, or if determinism is not promised: a custom kernel promises it only with --strict.
/// PyTorch's own kernels are checked only with several threads.
std::optional<Verdict> find_changing_result(Session& session, std::size_t implementation,
                                            const Plan& plan);

}  // namespace indexfuzz
