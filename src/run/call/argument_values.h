#pragma once
// Arguments that are not tensors: a case's values as a schema takes them.

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <optional>
#include <span>

#include "memory/arena.h"
#include "run/call/plan.h"

namespace indexfuzz {

/// A number of kScalarDtypes as a schema takes it. None if the schema's type cannot hold it: a
/// double no integer from 2^53 on, an int no fraction, neither of them a complex number.
std::optional<c10::IValue> number_argument(Argument::As as, Dtype dtype, const std::byte* source);

/// An attribute as the schema takes it; none if the schema cannot hold it, such as a None.
std::optional<c10::IValue> attribute_value(const Plan& plan, const Argument& argument,
                                           const Case& c);

/// Whether the case has, for an argument that the schema lacks, ATen's default. `operands`: the
/// case's.
bool has_default(const Plan& plan, const LackingArgument& lacking, const Case& c,
                 std::span<const PlacedOperand> operands);

}  // namespace indexfuzz
