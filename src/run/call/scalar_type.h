#pragma once
// indexfuzz's dtypes as torch's.

#include <c10/core/ScalarType.h>
#include <c10/core/ScalarTypeToTypeMeta.h>

#include <optional>

#include "case/dtype.h"

namespace indexfuzz {

c10::ScalarType scalar_type(Dtype dtype);
/// None for a dtype that no case has (a quantized one, say).
std::optional<Dtype> dtype_of(c10::ScalarType type);

}  // namespace indexfuzz
