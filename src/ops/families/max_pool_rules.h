#pragma once
// The illegal rules of ops/families/max_pool.h.

#include <array>

#include "ops/definition/illegal_rule.h"

namespace indexfuzz {

extern const std::array<IllegalRule, 17> max_pool_rules;

}  // namespace indexfuzz
