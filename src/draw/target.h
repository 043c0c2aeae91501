#pragma once
// What cases are drawn for.

#include <cstdint>
#include <vector>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// One (operator, overload, variant) to draw cases for.
struct Target {
  std::uint16_t op;
  std::uint8_t overload;
  Variant variant;
};

/// All of one operator, in the order of its overloads.
std::vector<Target> targets_of(const OperatorInfo& op);

/// All of every operator, grouped by operator.
std::vector<Target> all_targets();

}  // namespace indexfuzz
