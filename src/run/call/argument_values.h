#pragma once
// Arguments that are no tensors: what a case has for them, as a schema takes it.

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <optional>
#include <span>

#include "memory/arena.h"
#include "run/call/plan.h"

namespace indexfuzz {

/// A number of kScalarDtypes as a schema takes it; none where the schema's type cannot hold it: a
/// double no integer beyond 2^53, an int no fraction, neither of them a complex number.
std::optional<c10::IValue> number_argument(Argument::As as, Dtype dtype, const std::byte* source);

/// An attribute as the schema takes it; none where that cannot hold it, as no None.
std::optional<c10::IValue> attribute_value(const Plan& plan, const Argument& argument,
                                           const Case& c);

/// Whether a case has what the schema lacks as ATen has it by default. `operands` are the case's.
bool has_default(const Plan& plan, const LackingArgument& lacking, const Case& c,
                 std::span<const PlacedOperand> operands);

}  // namespace indexfuzz
