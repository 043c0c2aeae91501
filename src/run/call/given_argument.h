#pragma once
// An argument of a schema that has the value which a contract gives it.

#include <ATen/core/function_schema.h>

#include <optional>
#include <span>
#include <string_view>

#include "case/contract.h"
#include "ops/definition/operator.h"
#include "run/call/plan.h"

namespace indexfuzz {

/// What a contract says of the argument of this name; null if it says nothing.
const ValueTerms* find_given(std::span<const ValueTerms> given, std::string_view name);

/// A contract's value, unless it is a tensor, as an argument of this type; none if it is of another
/// type.
std::optional<c10::IValue> given_value(const c10::Type& type, const ArgumentValue& value);

/// An argument that ATen does not have, with the first of the contract's values for it; none if the
/// contract has none, or one of another type.
std::optional<Argument> given_argument(const c10::Argument& formal, const Overload& overload,
                                       std::span<const ValueTerms> given);

}  // namespace indexfuzz
