#include "run/call/given_argument.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "ops/contract/values.h"
#include "run/call/schema_types.h"

namespace indexfuzz {

const ValueTerms* find_given(std::span<const ValueTerms> given, std::string_view name) {
  const auto terms = std::ranges::find(given, name, &ValueTerms::argument);
  return terms == given.end() ? nullptr : &*terms;
}

std::optional<c10::IValue> given_value(const c10::Type& type, const ArgumentValue& value) {
  const std::optional<Argument::As> as = number_kind(type);
  if (std::holds_alternative<std::monostate>(value))
    return type.kind() == c10::TypeKind::OptionalType ? std::optional<c10::IValue>(std::in_place)
                                                      : std::nullopt;
  if (const auto* const text = std::get_if<std::string>(&value)) {
    const bool is_text = without_optional(type).kind() == c10::TypeKind::StringType;
    return is_text ? std::optional<c10::IValue>(*text) : std::nullopt;
  }
  if (const auto* const flag = std::get_if<bool>(&value))
    return as == Argument::As::kBool ? std::optional<c10::IValue>(*flag) : std::nullopt;
  if (const auto* const list = std::get_if<Integers>(&value))
    return is_int_list(type) ? std::optional<c10::IValue>(*list) : std::nullopt;
  const bool is_real = as == Argument::As::kDouble || as == Argument::As::kNumber;
  if (const auto* const real = std::get_if<double>(&value))
    return is_real ? std::optional<c10::IValue>(*real) : std::nullopt;
  const auto* const number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return std::nullopt;
  if (as == Argument::As::kDouble) return c10::IValue(static_cast<double>(*number));
  return as == Argument::As::kInt || as == Argument::As::kNumber
             ? std::optional<c10::IValue>(*number)
             : std::nullopt;
}

std::optional<Argument> given_argument(const c10::Argument& formal, const Overload& overload,
                                       std::span<const ValueTerms> given) {
  const ValueTerms* const terms = find_given(given, formal.name());
  if (terms == nullptr || has_argument(overload, formal.name())) return std::nullopt;
  Argument argument;
  if (const auto* const zeros = std::get_if<Zeros>(&terms->values.front())) {
    if (!is_tensor(*formal.type())) return std::nullopt;
    argument.source = Argument::Source::kZeros;
    argument.zeros = *zeros;
    return argument;
  }
  std::optional<c10::IValue> value = given_value(*formal.type(), terms->values.front());
  if (!value) return std::nullopt;
  argument.source = Argument::Source::kGiven;
  argument.constant = std::move(*value);
  return argument;
}

}  // namespace indexfuzz
