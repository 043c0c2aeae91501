#pragma once
// Shared by the operators that pad the last one, two or three dimensions of self (operand 0) with
// elements of its own. The attributes say how many: left, right, top, bottom, front, back.

#include <array>

#include "ops/operator.h"

namespace indexfuzz {

inline constexpr OperandSpec kPaddedOperands[] = {{"self", Role::kValue}};
inline constexpr AttributeSpec kPaddings[] = {
    {"left", AttributeType::kSize},  {"right", AttributeType::kSize},
    {"top", AttributeType::kSize},   {"bottom", AttributeType::kSize},
    {"front", AttributeType::kSize}, {"back", AttributeType::kSize}};
/// (self, padding), for `kDims` padded dimensions.
template <std::uint8_t kDims>
inline constexpr Parameter kPaddingParameters[] = {
    {Parameter::Kind::kOperand, 0}, {Parameter::Kind::kAttributeList, 0, 2 * kDims, "padding"}};
template <std::uint8_t kDims>
inline constexpr std::span<const AttributeSpec> kPaddingAttributes =
    std::span(kPaddings).first(2 * kDims);

extern const std::array<IllegalRule, 6> reflection_rules, replication_rules;

/// OperatorInfo::repair. A reflection pads each side by fewer elements than the dimension has, a
/// replication by any number; those that are drawn leave the result a size worth its time.
void repair_reflection(Case& c, const Limits& limits);
void repair_replication(Case& c, const Limits& limits);

/// OperatorInfo::result.
ResultSpec padded_result(const Case& c);

/// OperatorInfo::oracle. Elements beyond an end are those before it, counted back from the last
/// one, or the last one itself.
void write_reflected(const OracleInput& input, std::byte* destination);
void write_replicated(const OracleInput& input, std::byte* destination);

}  // namespace indexfuzz
