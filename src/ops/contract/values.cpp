#include "ops/contract/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "case/dim_set.h"

namespace indexfuzz {
namespace {

/// None if one is out of any tensor's range or occurs twice.
std::optional<std::int64_t> set_of_dims(const Integers& dims) {
  std::int64_t set = 0;
  for (const std::int64_t dim : dims) {
    if (dim < -kMaxDims || dim >= kMaxDims || has_dim(set, static_cast<int>(dim)))
      return std::nullopt;
    set |= dim_bit(static_cast<int>(dim));
  }
  return set;
}

/// An attribute's value in a case; none if it can have no such value.
std::optional<std::int64_t> attribute_of(const AttributeSpec& spec, const ArgumentValue& value) {
  if (std::holds_alternative<std::monostate>(value))
    return is_optional(spec.type) ? std::optional(kNoInt) : std::nullopt;
  if (spec.type == AttributeType::kDims) {
    const auto* const dims = std::get_if<Integers>(&value);
    return dims == nullptr ? std::nullopt : set_of_dims(*dims);
  }
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

/// Where an overload has an argument that is no tensor: in neighbouring attributes, or in an
/// operand that is a number.
struct Place {
  std::size_t first = 0, count = 0;  ///< attributes
  std::size_t times = 0;             ///< how often a list has the last one; 0 if it is no list
  int operand = -1;
  bool is_none() const { return count == 0 && operand < 0; }
};
Place place_in(const Overload& overload, std::string_view argument) {
  for (const Parameter& parameter : overload.parameters) {
    if (parameter.kind == Parameter::Kind::kAttributeList && parameter.name == argument)
      return {parameter.slot, parameter.count, parameter.times};
  }
  const auto attribute = std::ranges::find(overload.attributes, argument, &AttributeSpec::name);
  if (attribute != overload.attributes.end())
    return {static_cast<std::size_t>(attribute - overload.attributes.begin()), 1};
  const auto operand = std::ranges::find(overload.operands, argument, &OperandSpec::name);
  if (operand != overload.operands.end() && operand->role == Role::kScalar)
    return {.operand = static_cast<int>(operand - overload.operands.begin())};
  return {};
}

/// The attributes at a place, as a case holds them.
using Held = IntegerList;

/// Whether a list of this length can stand at the place. A size or a distance that a call passes
/// once, for all dimensions, may be written once for each.
bool has_length(const Overload& overload, const Place& place, std::size_t length) {
  const AttributeType type = overload.attributes[place.first].type;
  const bool is_for_all = place.count == 1 && place.times == 1 &&
                          (type == AttributeType::kSize || type == AttributeType::kStep);
  return is_for_all ? length > 0 : length == place.count + place.times - 1;
}

/// The value in a case; none if its place can have no such value.
std::optional<Held> held(const Overload& overload, const Place& place, const ArgumentValue& value) {
  Held attributes;
  const auto* const list = place.times > 0 ? std::get_if<Integers>(&value) : nullptr;
  if (list != nullptr && !has_length(overload, place, list->size())) return std::nullopt;
  for (std::size_t i = 0; i < place.count; ++i) {
    const auto attribute = attribute_of(overload.attributes[place.first + i],
                                        list != nullptr ? ArgumentValue((*list)[i]) : value);
    if (!attribute) return std::nullopt;
    attributes.push_back(*attribute);
  }
  const auto is_last = [&](std::int64_t number) { return number == attributes.back(); };
  if (list != nullptr && !std::all_of(list->begin() + std::ssize(attributes), list->end(), is_last))
    return std::nullopt;
  return attributes;
}

/// The values that the overload can be passed, as a case holds them.
template <typename Convert>
auto possible(const ValueTerms& terms, Convert convert) {
  std::vector<typename std::invoke_result_t<Convert, const ArgumentValue&>::value_type> values;
  for (const ArgumentValue& value : terms.values) {
    if (auto held = convert(value)) values.push_back(std::move(*held));
  }
  return values;
}
std::vector<Held> possible_at(const Overload& overload, const Place& place,
                              const ValueTerms& terms) {
  return possible(terms, [&](const ArgumentValue& value) { return held(overload, place, value); });
}

bool names_same_dims(std::int64_t set, std::int64_t legal, int rank) {
  if (dims_of(set).size() != dims_of(legal).size()) return false;
  for (int dim = 0; dim < rank; ++dim) {
    if (names_dim(set, dim, rank) != names_dim(legal, dim, rank)) return false;
  }
  return true;
}

/// Whether an attribute says the same as one of the case, in this or another spelling.
bool says_same(const Case& c, std::size_t slot, std::int64_t value) {
  const std::int64_t passed = c.attributes[slot];
  const AttributeType type = overload_of(c).attributes[slot].type;
  if (value == passed) return true;
  if (type == AttributeType::kDims)
    return names_same_dims(value, passed, rank(c.operands[0].shape));
  if (!is_dim(type) || passed == kNoInt) return false;
  const int dims = nameable_dims(c, slot);
  return value == passed + (passed < 0 ? dims : -dims);
}

}  // namespace

bool takes_value(const ValueTerms& terms, const Case& c) {
  const Overload& overload = overload_of(c);
  const Place place = place_in(overload, terms.argument);
  if (place.is_none()) return true;
  if (place.operand >= 0) {
    const FillKind kind = operand_at(c, place.operand).fill.kind;
    return std::ranges::any_of(terms.values,
                               [&](const ArgumentValue& value) { return fill_of(value) == kind; });
  }
  const auto passed = c.attributes.begin() + static_cast<std::ptrdiff_t>(place.first);
  return std::ranges::any_of(terms.values, [&](const ArgumentValue& value) {
    const std::optional<Held> attributes = held(overload, place, value);
    return attributes && std::equal(attributes->begin(), attributes->end(), passed);
  });
}

bool takes_alias(const ValueTerms& terms, const Case& c) {
  const Place place = place_in(overload_of(c), terms.argument);
  if (place.count == 0) return false;
  return std::ranges::any_of(possible_at(overload_of(c), place, terms), [&](const Held& value) {
    for (std::size_t i = 0; i < place.count; ++i) {
      if (!says_same(c, place.first + i, value[i])) return false;
    }
    return true;
  });
}

void give_value(const ValueTerms& terms, Case& c) {
  if (takes_value(terms, c)) return;
  const Overload& overload = overload_of(c);
  const Place place = place_in(overload, terms.argument);
  if (place.operand < 0) {
    const std::vector<Held> values = possible_at(overload, place, terms);
    if (values.empty()) return;
    std::int64_t& first = c.attributes[place.first];
    std::ranges::copy(values[static_cast<std::uint64_t>(first) % values.size()], &first);
    return;
  }
  const std::vector<FillKind> fills = possible(terms, fill_of);
  if (fills.empty()) return;
  Operand& number = operand_at(c, place.operand);
  number.fill.kind = fills[number.fill.seed % fills.size()];
}

bool has_argument(const Overload& overload, std::string_view argument) {
  return !place_in(overload, argument).is_none();
}

bool has_list(const Overload& overload, std::string_view argument) {
  const Place place = place_in(overload, argument);
  return place.times > 0 ||
         (place.count > 0 && overload.attributes[place.first].type == AttributeType::kDims);
}

bool can_be_passed(const ArgumentValue& value, const Overload& overload,
                   std::string_view argument) {
  const Place place = place_in(overload, argument);
  if (place.operand >= 0) return fill_of(value).has_value();
  return place.count > 0 && held(overload, place, value).has_value();
}

}  // namespace indexfuzz
