#pragma once
// The illegal rules of the gradients of poolings (ops/families/pool_backward.h).

#include <array>

#include "ops/definition/operator.h"

namespace indexfuzz {

extern const std::array<IllegalRule, 15> adaptive_pool_backward_rules;
extern const std::array<IllegalRule, 17> fractional_pool_backward_rules;
extern const std::array<IllegalRule, 27> max_pool_backward_rules;

}  // namespace indexfuzz
