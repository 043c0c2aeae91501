#include "run/call/scalar_type.h"

#include <array>
#include <cstddef>

namespace indexfuzz {
namespace {

constexpr std::array<c10::ScalarType, kDtypeCount> kScalarTypes = [] {
  std::array<c10::ScalarType, kDtypeCount> types{};
  const auto put = [&](Dtype dtype, c10::ScalarType type) {
    types[static_cast<std::size_t>(dtype)] = type;
  };
  put(Dtype::kBool, c10::ScalarType::Bool);
  put(Dtype::kUInt8, c10::ScalarType::Byte);
  put(Dtype::kInt8, c10::ScalarType::Char);
  put(Dtype::kInt16, c10::ScalarType::Short);
  put(Dtype::kInt32, c10::ScalarType::Int);
  put(Dtype::kInt64, c10::ScalarType::Long);
  put(Dtype::kHalf, c10::ScalarType::Half);
  put(Dtype::kBFloat16, c10::ScalarType::BFloat16);
  put(Dtype::kFloat, c10::ScalarType::Float);
  put(Dtype::kDouble, c10::ScalarType::Double);
  put(Dtype::kComplexHalf, c10::ScalarType::ComplexHalf);
  put(Dtype::kComplexFloat, c10::ScalarType::ComplexFloat);
  put(Dtype::kComplexDouble, c10::ScalarType::ComplexDouble);
  put(Dtype::kUInt16, c10::ScalarType::UInt16);
  put(Dtype::kUInt32, c10::ScalarType::UInt32);
  put(Dtype::kUInt64, c10::ScalarType::UInt64);
  put(Dtype::kFloat8E4M3FN, c10::ScalarType::Float8_e4m3fn);
  put(Dtype::kFloat8E5M2, c10::ScalarType::Float8_e5m2);
  put(Dtype::kFloat8E4M3FNUZ, c10::ScalarType::Float8_e4m3fnuz);
  put(Dtype::kFloat8E5M2FNUZ, c10::ScalarType::Float8_e5m2fnuz);
  return types;
}();

}  // namespace

c10::ScalarType scalar_type(Dtype dtype) {
  return kScalarTypes[static_cast<std::size_t>(dtype)];
}

std::optional<Dtype> dtype_of(c10::ScalarType type) {
  for (int i = 0; i < kDtypeCount; ++i) {
    if (kScalarTypes[static_cast<std::size_t>(i)] == type) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

}  // namespace indexfuzz
