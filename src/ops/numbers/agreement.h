#pragma once

#include <cstddef>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// Whether `actual` is right although the oracle wrote `expected`, as far as these two numbers
/// alone tell: under kEitherZero and kQuotient a zero of the other sign, under kQuotient a
/// neighbouring number as well. False under every other agreement.
bool agrees_beside(Agreement agreement, Dtype dtype, const std::byte* expected,
                   const std::byte* actual);

}  // namespace indexfuzz
