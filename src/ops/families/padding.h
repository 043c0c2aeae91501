#pragma once
// Shared by the operators that pad the last one, two or three dimensions of self (operand 0) with
// elements of its own. The attributes say how many: left, right, top, bottom, front, back.

#include <array>

#include "ops/definition/operator.h"
#include "ops/families/padding_geometry.h"

namespace indexfuzz {

inline constexpr OperandSpec kPaddedOperands[] = {{"self", Role::kValue}};
/// (self, padding), for `kDims` padded dimensions.
template <std::uint8_t kDims>
inline constexpr Parameter kPaddingParameters[] = {operand(0),
                                                   attribute_list(0, 2 * kDims, "padding")};

extern const std::array<IllegalRule, 8> reflection_rules, replication_rules;

/// OperatorInfo::repair.
void repair_reflection(Case& c, const Limits& limits);
void repair_replication(Case& c, const Limits& limits);

/// OperatorInfo::oracle.
void write_reflected(const OracleInput& input, std::byte* destination);
void write_replicated(const OracleInput& input, std::byte* destination);

}  // namespace indexfuzz
