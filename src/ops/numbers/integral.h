#pragma once

#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

/// Calls f(T{}), where T is the C++ type of a dtype of kIntegralDtypes.
template <typename F>
auto with_integral(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::kUInt8: return f(std::uint8_t{});
    case Dtype::kInt8: return f(std::int8_t{});
    case Dtype::kInt16: return f(std::int16_t{});
    case Dtype::kInt32: return f(std::int32_t{});
    default: return f(std::int64_t{});
  }
}

}  // namespace indexfuzz
