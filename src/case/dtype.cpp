#include "case/dtype.h"

#include <array>

namespace indexfuzz {
namespace {

using F = DtypeFamily;

constexpr std::array<DtypeInfo, kDtypeCount> kInfo{{
    {"bool", "at::kBool", 1, F::kBool, false, 0},
    {"uint8", "at::kByte", 1, F::kInteger, false, 8},
    {"int8", "at::kChar", 1, F::kInteger, true, 7},
    {"int16", "at::kShort", 2, F::kInteger, true, 15},
    {"int32", "at::kInt", 4, F::kInteger, true, 31},
    {"int64", "at::kLong", 8, F::kInteger, true, 63},
    {"float16", "at::kHalf", 2, F::kFloating, true, 11},
    {"bfloat16", "at::kBFloat16", 2, F::kFloating, true, 8},
    {"float32", "at::kFloat", 4, F::kFloating, true, 24},
    {"float64", "at::kDouble", 8, F::kFloating, true, 53},
    {"complex32", "at::kComplexHalf", 4, F::kComplex, true, 11},
    {"complex64", "at::kComplexFloat", 8, F::kComplex, true, 24},
    {"complex128", "at::kComplexDouble", 16, F::kComplex, true, 53},
    {"uint16", "at::kUInt16", 2, F::kInteger, false, 16},
    {"uint32", "at::kUInt32", 4, F::kInteger, false, 32},
    {"uint64", "at::kUInt64", 8, F::kInteger, false, 64},
    {"float8_e4m3fn", "at::kFloat8_e4m3fn", 1, F::kFloating, true, 4},
    {"float8_e5m2", "at::kFloat8_e5m2", 1, F::kFloating, true, 3},
}};

}  // namespace

const DtypeInfo& info(Dtype dtype) { return kInfo[static_cast<std::size_t>(dtype)]; }

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
    case Dtype::kFloat8E5M2: return dtype;
  }
  return dtype;
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDtypeCount; ++i) {
    if (kInfo[static_cast<std::size_t>(i)].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

}  // namespace indexfuzz
