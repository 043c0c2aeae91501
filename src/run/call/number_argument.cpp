#include "run/call/number_argument.h"

#include <c10/util/complex.h>

#include <cmath>

#include "case/number.h"

namespace indexfuzz {

std::optional<c10::IValue> number_argument(Argument::As as, Dtype dtype, const std::byte* source) {
  c10::IValue number;
  switch (dtype) {
    case Dtype::kBool: number = load<bool>(source); break;
    case Dtype::kInt64: number = load<std::int64_t>(source); break;
    case Dtype::kDouble: number = load<double>(source); break;
    default: number = load<c10::complex<double>>(source); break;
  }
  switch (as) {
    case Argument::As::kNumber: break;
    case Argument::As::kBool:
      if (!number.isBool()) return std::nullopt;
      break;
    case Argument::As::kInt:
      if (number.isBool()) number = static_cast<std::int64_t>(number.toBool());
      if (!number.isInt()) return std::nullopt;
      break;
    case Argument::As::kDouble:
      if (number.isBool()) number = static_cast<std::int64_t>(number.toBool());
      if (number.isInt()) {
        // An integer beyond 2^53 is no number that the schema could be given.
        const auto real = static_cast<double>(number.toInt());
        if (std::fabs(real) >= 0x1p53) return std::nullopt;
        number = real;
      }
      if (!number.isDouble()) return std::nullopt;
      break;
  }
  return number;
}

}  // namespace indexfuzz
