#pragma once
// Element types under test. Torch-free: `run/` maps a Dtype to torch's scalar type by its name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace indexfuzz {

/// The numbers are part of the byte form of a case: never reuse one, only append.
enum class Dtype : std::uint8_t {
  kBool = 0,
  kUInt8 = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kHalf = 6,
  kBFloat16 = 7,
  kFloat = 8,
  kDouble = 9,
  kComplexHalf = 10,
  kComplexFloat = 11,
  kComplexDouble = 12,
  kUInt16 = 13,
  kUInt32 = 14,
  kUInt64 = 15,
  kFloat8E4M3FN = 16,
  kFloat8E5M2 = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2FNUZ = 19,
};
inline constexpr int kDtypeCount = 20;

enum class DtypeFamily : std::uint8_t { kBool, kInteger, kFloating, kComplex };

struct DtypeInfo {
  std::string_view name;  ///< torch's name without prefix: "float32", "complex64"
  std::string_view cpp;   ///< at:: constant: "at::kFloat"
  std::size_t size;       ///< bytes of an element
  DtypeFamily family;
  bool is_signed;
  /// Every integer of magnitude below 2^exact_bits (and, if unsigned, not negative) is represented;
  /// for complex dtypes, by each component.
  int exact_bits;
};

/// Indexed by the dtype's number.
inline constexpr std::array<DtypeInfo, kDtypeCount> kDtypeInfo{{
    {"bool", "at::kBool", 1, DtypeFamily::kBool, false, 0},
    {"uint8", "at::kByte", 1, DtypeFamily::kInteger, false, 8},
    {"int8", "at::kChar", 1, DtypeFamily::kInteger, true, 7},
    {"int16", "at::kShort", 2, DtypeFamily::kInteger, true, 15},
    {"int32", "at::kInt", 4, DtypeFamily::kInteger, true, 31},
    {"int64", "at::kLong", 8, DtypeFamily::kInteger, true, 63},
    {"float16", "at::kHalf", 2, DtypeFamily::kFloating, true, 11},
    {"bfloat16", "at::kBFloat16", 2, DtypeFamily::kFloating, true, 8},
    {"float32", "at::kFloat", 4, DtypeFamily::kFloating, true, 24},
    {"float64", "at::kDouble", 8, DtypeFamily::kFloating, true, 53},
    {"complex32", "at::kComplexHalf", 4, DtypeFamily::kComplex, true, 11},
    {"complex64", "at::kComplexFloat", 8, DtypeFamily::kComplex, true, 24},
    {"complex128", "at::kComplexDouble", 16, DtypeFamily::kComplex, true, 53},
    {"uint16", "at::kUInt16", 2, DtypeFamily::kInteger, false, 16},
    {"uint32", "at::kUInt32", 4, DtypeFamily::kInteger, false, 32},
    {"uint64", "at::kUInt64", 8, DtypeFamily::kInteger, false, 64},
    {"float8_e4m3fn", "at::kFloat8_e4m3fn", 1, DtypeFamily::kFloating, true, 4},
    {"float8_e5m2", "at::kFloat8_e5m2", 1, DtypeFamily::kFloating, true, 3},
    {"float8_e4m3fnuz", "at::kFloat8_e4m3fnuz", 1, DtypeFamily::kFloating, true, 4},
    {"float8_e5m2fnuz", "at::kFloat8_e5m2fnuz", 1, DtypeFamily::kFloating, true, 3},
}};

inline const DtypeInfo& info(Dtype dtype) {
  return kDtypeInfo[static_cast<std::size_t>(dtype)];
}
inline std::size_t item_size(Dtype dtype) {
  return info(dtype).size;
}
inline bool is_complex(Dtype dtype) {
  return info(dtype).family == DtypeFamily::kComplex;
}
inline bool is_floating_or_complex(Dtype dtype) {
  return info(dtype).family == DtypeFamily::kFloating || is_complex(dtype);
}
/// A format without negative zero and infinities; the bits of a negative zero are its only NaN.
inline bool is_fnuz(Dtype dtype) {
  return dtype == Dtype::kFloat8E4M3FNUZ || dtype == Dtype::kFloat8E5M2FNUZ;
}
/// For a complex dtype its component's dtype, for every other dtype itself.
Dtype component(Dtype dtype);
std::optional<Dtype> dtype_from_name(std::string_view name);

/// A set of dtypes, one bit each.
using DtypeSet = std::uint32_t;
constexpr DtypeSet set_of(Dtype dtype) {
  return DtypeSet{1} << static_cast<int>(dtype);
}
constexpr bool contains(DtypeSet set, Dtype dtype) {
  return (set & set_of(dtype)) != 0;
}
inline constexpr DtypeSet kAllDtypes = (DtypeSet{1} << kDtypeCount) - 1;
inline constexpr DtypeSet kIndexDtypes = set_of(Dtype::kInt32) | set_of(Dtype::kInt64);
/// What ATen calls integral: integers without the unsigned ones of more than 8 bits.
inline constexpr DtypeSet kIntegralDtypes =
    set_of(Dtype::kUInt8) | set_of(Dtype::kInt8) | set_of(Dtype::kInt16) | kIndexDtypes;
/// The dtypes of a Python or C++ number that is passed as an argument.
inline constexpr DtypeSet kScalarDtypes = set_of(Dtype::kBool) | set_of(Dtype::kInt64) |
                                          set_of(Dtype::kDouble) | set_of(Dtype::kComplexDouble);
/// Floating point, without the formats of 8 bits.
inline constexpr DtypeSet kFloats = set_of(Dtype::kHalf) | set_of(Dtype::kBFloat16) |
                                    set_of(Dtype::kFloat) | set_of(Dtype::kDouble);
inline constexpr DtypeSet kMaskDtypes = set_of(Dtype::kBool) | set_of(Dtype::kUInt8);

}  // namespace indexfuzz
