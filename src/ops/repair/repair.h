#pragma once

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Turns any case into a legal one under the limits. Clears the fields that only illegal rules set.
/// Idempotent without a contract. With one, brings the case into it in a few steps at most, which
/// may fail: keeps() tells.
void repair(Case& c, const Limits& limits);

}  // namespace indexfuzz
