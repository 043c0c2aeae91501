#pragma once
// What is passed to a call besides its operands: dimensions, sizes, flags, choices.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace indexfuzz {

enum class AttributeType : std::uint8_t {
  kDim,          ///< a dimension of the operands, counted from either end
  kOptionalDim,  ///< as kDim, or None; an overload has at most one
  kNewDim,       ///< the place of a dimension that the result has besides those of the operands
  kOuterDim,     ///< as kDim, of the operand's dimensions without the last one
  kRow,          ///< a row of a table, or kNoRow
  kBool,
  kSize,           ///< a number of elements
  kOptionalSize,   ///< a number of elements that follows from the operands, or None
  kOptionalRow,    ///< a row of a table, counted from either end, or None
  kOptionalPlace,  ///< a place along a dimension, counted from either end; any int64, or None
  kStep,           ///< from one place to the next: any int64 of 1 or more
  kAnyInt,         ///< any int64: how far a diagonal lies from the main one, a number to fill with
  kDims,           ///< a set of dimensions (case/dim_set.h)
  kChoice,         ///< one of several strings
  kCode,           ///< as kChoice, but passed as a number
};
inline bool is_choice(AttributeType type) {
  return type == AttributeType::kChoice || type == AttributeType::kCode;
}
inline bool is_dim(AttributeType type) {
  return type == AttributeType::kDim || type == AttributeType::kOptionalDim ||
         type == AttributeType::kNewDim || type == AttributeType::kOuterDim;
}
/// How many dimensions an attribute that is_dim() can name if the operands have this rank.
inline int nameable_dims(AttributeType type, int rank) {
  if (type == AttributeType::kNewDim) return rank + 1;
  return std::max(type == AttributeType::kOuterDim ? rank - 1 : rank, 1);
}
inline bool is_optional(AttributeType type) {
  return type == AttributeType::kOptionalDim || type == AttributeType::kOptionalSize ||
         type == AttributeType::kOptionalRow || type == AttributeType::kOptionalPlace;
}
/// None, as the value of an attribute that is_optional().
inline constexpr std::int64_t kNoInt = std::numeric_limits<std::int64_t>::min();
/// No row, as the value of a kRow attribute.
inline constexpr std::int64_t kNoRow = -1;
struct AttributeSpec {
  std::string_view name;  ///< the schema's argument name: "dim", "accumulate"
  AttributeType type;
  /// kChoice and kCode only: the attribute's value is an index into this.
  std::span<const std::string_view> choices = {};
};

/// What a call is passed for a choice beyond the last, which only an illegal rule makes.
inline constexpr std::string_view kUnknownChoice = "unknown";
inline std::string_view choice_of(const AttributeSpec& spec, std::int64_t value) {
  const auto place = static_cast<std::size_t>(value);
  return place < spec.choices.size() ? spec.choices[place] : kUnknownChoice;
}

}  // namespace indexfuzz
