#pragma once
// The ways to make lengths, offsets and other arguments of segment_reduce illegal.

#include <array>

#include "ops/operator.h"

namespace indexfuzz {

extern const std::array<IllegalRule, 19> segment_rules;

}  // namespace indexfuzz
