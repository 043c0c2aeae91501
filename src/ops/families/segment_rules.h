#pragma once
// The ways to make lengths, offsets and other arguments of segment_reduce illegal.

#include <array>

#include "ops/definition/operator.h"

namespace indexfuzz {

extern const std::array<IllegalRule, 20> segment_rules;

}  // namespace indexfuzz
