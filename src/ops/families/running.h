#pragma once
// Shared by cummax and cummin, (self, dim): how they are called, and with what.

#include "ops/families/ordered_slices.h"

namespace indexfuzz {

inline constexpr AttributeSpec kRunningAttributes[] = {{"dim", AttributeType::kDim}};
inline constexpr Parameter kRunningParameters[] = {operand(ordered::kSelf),
                                                   attribute(ordered::kDim)};
inline constexpr std::size_t kRunningRules = 4;
extern const IllegalRule running_rules[kRunningRules];

/// OperatorInfo::repair.
void repair_running(Case& c, const Limits& limits);

}  // namespace indexfuzz
