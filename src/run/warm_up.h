#pragma once
// Calls that let a custom kernel compile what it compiles at first.

#include <vector>

#include "run/session.h"

namespace indexfuzz {

/// Harmless cases for a first call: the plainest one of the plan's form and, for a kernel that
/// takes less, one with the attributes, dtypes and settings of `like` and a single zero in each
/// operand. Without those that the implementation's contract leaves out.
std::vector<Case> warming_up(const Implementation& implementation, const Plan& plan,
                             const Case& like);

/// If is_first_call(), calls a custom implementation on the cases of warming_up() until it takes
/// one, so that what it compiles at first is compiled. The results are ignored.
void warm_up(Session& session, std::size_t implementation, const Plan& plan, const Case& like);

}  // namespace indexfuzz
