#pragma once
// Shared by tril and triu: one triangle of each matrix, whose rows and columns are the last two
// dimensions of self (operand 0), with zeros in place of the other elements.

#include "ops/definition/operator.h"

namespace indexfuzz {

inline constexpr OperandSpec kTriangleOperands[] = {{"self", Role::kValue}};
inline constexpr AttributeSpec kTriangleAttributes[] = {{"diagonal", AttributeType::kAnyInt}};
inline constexpr Parameter kTriangleParameters[] = {operand(0), attribute(0)};
inline constexpr std::size_t kTriangleRules = 3;
extern const IllegalRule triangle_rules[kTriangleRules];

/// OperatorInfo::repair.
void repair_triangle(Case& c, const Limits& limits);

/// Writes self with zeros where keeps(column - row, diagonal) is false. Zeros are positive.
void write_triangle(const OracleInput& input,
                    bool (*keeps)(std::int64_t beyond, std::int64_t diagonal),
                    std::byte* destination);

}  // namespace indexfuzz
