#pragma once
// Numbers that are passed by value.

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <optional>

#include "run/call/plan.h"

namespace indexfuzz {

/// A number of kScalarDtypes as a schema takes it; none where the schema's type cannot hold it: a
/// double no integer beyond 2^53, an int no fraction, neither of them a complex number.
std::optional<c10::IValue> number_argument(Argument::As as, Dtype dtype, const std::byte* source);

}  // namespace indexfuzz
