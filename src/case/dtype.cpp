#include "case/dtype.h"

namespace indexfuzz {
Dtype component(Dtype dtype) {
  switch (dtype) {
    case Dtype::kComplexHalf: return Dtype::kHalf;
    case Dtype::kComplexFloat: return Dtype::kFloat;
    case Dtype::kComplexDouble: return Dtype::kDouble;
    case Dtype::kBool:
    case Dtype::kUInt8:
    case Dtype::kInt8:
    case Dtype::kInt16:
    case Dtype::kInt32:
    case Dtype::kInt64:
    case Dtype::kHalf:
    case Dtype::kBFloat16:
    case Dtype::kFloat:
    case Dtype::kDouble:
    case Dtype::kUInt16:
    case Dtype::kUInt32:
    case Dtype::kUInt64:
    case Dtype::kFloat8E4M3FN:
    case Dtype::kFloat8E5M2:
    case Dtype::kFloat8E4M3FNUZ:
    case Dtype::kFloat8E5M2FNUZ: return dtype;
  }
  return dtype;
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDtypeCount; ++i) {
    if (kDtypeInfo[static_cast<std::size_t>(i)].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

}  // namespace indexfuzz
