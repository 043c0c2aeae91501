#pragma once
// Calls that let a custom kernel compile what it compiles at first.

#include <vector>

#include "run/session/session.h"

namespace indexfuzz {

/// Harmless cases for a first call: the plainest one of the plan's form and, for a kernel that
/// refuses that, one with a single zero in each operand and the attributes, dtypes and settings of
/// `like`. Without cases that the implementation's contract leaves out.
std::vector<Case> warming_up(const Implementation& implementation, const Plan& plan,
                             const Case& like);

/// If is_first_call(), calls a custom implementation on the cases of warming_up() until it takes
/// one, so that it compiles what it compiles in a first call. The results are ignored.
void warm_up(Session& session, std::size_t implementation, const Plan& plan, const Case& like);

}  // namespace indexfuzz
