#include "ops/numbers/promotion.h"

#include <utility>

namespace indexfuzz {
namespace {

bool is_floating(Dtype dtype) {
  return info(dtype).family == DtypeFamily::kFloating;
}
bool is_float8(Dtype dtype) {
  return is_floating(dtype) && item_size(dtype) == 1;
}
/// uint16, uint32 and uint64, which promote only with floating point.
bool is_wide_unsigned(Dtype dtype) {
  return info(dtype).family == DtypeFamily::kInteger && !info(dtype).is_signed &&
         item_size(dtype) > 1;
}

/// The complex dtype that holds a floating-point one; none for float8.
std::optional<Dtype> complex_of(Dtype floating) {
  switch (floating) {
    case Dtype::kHalf: return Dtype::kComplexHalf;
    // No complex dtype has components of bfloat16.
    case Dtype::kBFloat16:
    case Dtype::kFloat: return Dtype::kComplexFloat;
    case Dtype::kDouble: return Dtype::kComplexDouble;
    default: return std::nullopt;
  }
}

Dtype promote_floating(Dtype a, Dtype b) {
  if (item_size(a) != item_size(b)) return item_size(a) > item_size(b) ? a : b;
  return a == b ? a : Dtype::kFloat;  // half and bfloat16
}

/// The dtype that a number counts as.
Dtype of_number(Dtype dtype) {
  if (is_complex(dtype)) return Dtype::kComplexFloat;
  return is_floating(dtype) ? Dtype::kFloat : dtype;
}

}  // namespace

std::optional<Dtype> promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_float8(a) || is_float8(b)) return std::nullopt;
  // From here on `a` has the higher category or, within one, is the wider or else the signed one.
  const auto order = [](Dtype dtype) {
    return std::pair(static_cast<int>(info(dtype).family),
                     2 * item_size(dtype) + (info(dtype).is_signed ? 1 : 0));
  };
  if (order(a) < order(b)) std::swap(a, b);
  if (is_complex(a)) {
    if (is_wide_unsigned(b)) return std::nullopt;
    if (!is_floating(b) && !is_complex(b)) return a;
    return complex_of(promote_floating(component(a), component(b)));
  }
  if (is_floating(a)) return is_floating(b) ? promote_floating(a, b) : a;
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) return std::nullopt;
  const bool signs_differ = a == Dtype::kInt8 && b == Dtype::kUInt8;
  return signs_differ ? Dtype::kInt16 : a;
}

std::optional<Dtype> result_type(Weighed a, Weighed b) {
  if (a.weight < b.weight) std::swap(a, b);
  if (a.weight == Weight::kNumber) a.dtype = of_number(a.dtype);
  if (b.weight == Weight::kNumber) b.dtype = of_number(b.dtype);
  if (a.weight == b.weight) return promote(a.dtype, b.dtype);
  if (is_complex(a.dtype)) return a.dtype;
  if (is_floating(a.dtype)) {
    if (!is_complex(b.dtype)) return a.dtype;
    return a.dtype == Dtype::kBFloat16 ? std::nullopt : complex_of(a.dtype);
  }
  if (is_complex(b.dtype)) return b.dtype;
  if (a.dtype == Dtype::kBool || is_floating(b.dtype)) return promote(a.dtype, b.dtype);
  return a.dtype;
}

}  // namespace indexfuzz
