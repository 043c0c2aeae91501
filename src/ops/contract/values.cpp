#include "ops/contract/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace indexfuzz {
namespace {

/// An attribute's value in a case; none if it can have no such value.
std::optional<std::int64_t> attribute_of(const AttributeSpec& spec, const ArgumentValue& value) {
  if (std::holds_alternative<std::monostate>(value))
    return is_optional(spec.type) ? std::optional(kNoInt) : std::nullopt;
  if (spec.type == AttributeType::kDims) return std::nullopt;
  if (is_choice(spec.type)) {
    if (const auto* const word = std::get_if<std::string>(&value)) {
      const auto place = std::ranges::find(spec.choices, *word);
      if (place == spec.choices.end()) return std::nullopt;
      return place - spec.choices.begin();
    }
    const auto* const code = std::get_if<std::int64_t>(&value);
    const bool is_code = spec.type == AttributeType::kCode && code != nullptr && *code >= 0 &&
                         *code < static_cast<std::int64_t>(spec.choices.size());
    return is_code ? std::optional(*code) : std::nullopt;
  }
  if (spec.type == AttributeType::kBool) {
    const auto* const flag = std::get_if<bool>(&value);
    return flag == nullptr ? std::nullopt : std::optional<std::int64_t>(*flag ? 1 : 0);
  }
  const auto* const number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

/// The fill of an operand that is a number; none if no fill gives just this one.
std::optional<FillKind> fill_of(const ArgumentValue& value) {
  if (value == ArgumentValue(std::int64_t{0}) || value == ArgumentValue(0.0))
    return FillKind::kZeros;
  if (value == ArgumentValue(std::int64_t{1}) || value == ArgumentValue(1.0))
    return FillKind::kOnes;
  return std::nullopt;
}

/// Where an overload has an argument that is no tensor.
struct Place {
  int attribute = -1;
  int operand = -1;
};
Place place_in(const Overload& overload, std::string_view argument) {
  const auto attribute = std::ranges::find(overload.attributes, argument, &AttributeSpec::name);
  if (attribute != overload.attributes.end())
    return {.attribute = static_cast<int>(attribute - overload.attributes.begin())};
  const auto operand = std::ranges::find(overload.operands, argument, &OperandSpec::name);
  if (operand != overload.operands.end() && operand->role == Role::kScalar)
    return {.operand = static_cast<int>(operand - overload.operands.begin())};
  return {};
}

/// The values that the overload can be passed, as a case holds them.
template <typename Value, typename Convert>
std::vector<Value> possible(const ValueTerms& terms, Convert convert) {
  std::vector<Value> values;
  for (const ArgumentValue& value : terms.values) {
    if (const std::optional<Value> held = convert(value)) values.push_back(*held);
  }
  return values;
}

}  // namespace

bool takes_value(const ValueTerms& terms, const Case& c) {
  const Overload& overload = overload_of(c);
  const Place place = place_in(overload, terms.argument);
  if (place.attribute >= 0) {
    const auto slot = static_cast<std::size_t>(place.attribute);
    return std::ranges::any_of(terms.values, [&](const ArgumentValue& value) {
      return attribute_of(overload.attributes[slot], value) == c.attributes[slot];
    });
  }
  if (place.operand < 0) return true;
  const FillKind kind = operand_at(c, place.operand).fill.kind;
  return std::ranges::any_of(terms.values,
                             [&](const ArgumentValue& value) { return fill_of(value) == kind; });
}

bool takes_alias(const ValueTerms& terms, const Case& c) {
  const Overload& overload = overload_of(c);
  const Place place = place_in(overload, terms.argument);
  if (place.attribute < 0) return false;
  const auto slot = static_cast<std::size_t>(place.attribute);
  const AttributeType type = overload.attributes[slot].type;
  if (!is_dim(type) || c.attributes[slot] == kNoInt) return false;
  const int dims = nameable_dims(c, slot);
  Case alias = c;
  alias.attributes[slot] += c.attributes[slot] < 0 ? dims : -dims;
  return takes_value(terms, alias);
}

void give_value(const ValueTerms& terms, Case& c) {
  if (takes_value(terms, c)) return;
  const Overload& overload = overload_of(c);
  const Place place = place_in(overload, terms.argument);
  if (place.attribute >= 0) {
    const auto slot = static_cast<std::size_t>(place.attribute);
    const auto values = possible<std::int64_t>(terms, [&](const ArgumentValue& value) {
      return attribute_of(overload.attributes[slot], value);
    });
    if (values.empty()) return;
    c.attributes[slot] = values[static_cast<std::uint64_t>(c.attributes[slot]) % values.size()];
    return;
  }
  const auto fills = possible<FillKind>(terms, fill_of);
  if (fills.empty()) return;
  Operand& number = operand_at(c, place.operand);
  number.fill.kind = fills[number.fill.seed % fills.size()];
}

bool has_argument(const Overload& overload, std::string_view argument) {
  const Place place = place_in(overload, argument);
  return place.attribute >= 0 || place.operand >= 0;
}

bool can_be_passed(const ArgumentValue& value, const Overload& overload,
                   std::string_view argument) {
  const Place place = place_in(overload, argument);
  if (place.attribute >= 0)
    return attribute_of(overload.attributes[static_cast<std::size_t>(place.attribute)], value)
        .has_value();
  return place.operand >= 0 && fill_of(value).has_value();
}

}  // namespace indexfuzz
