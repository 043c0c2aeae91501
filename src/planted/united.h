#pragma once
// What the planted scatter_reduce and index_reduce share.

#include <ATen/Dispatch_v2.h>
#include <ATen/OpMathType.h>
#include <c10/util/generic_math.h>

#include <cmath>
#include <unordered_map>

#include "strided.h"

namespace planted {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kMeanCountsSelf,
  kMeanCountInByte,
  kAmaxFromZero,
  kNanLost,
  kComparedInDouble,
  kProdOncePerIndex,
  kProdFromZero,
  kSourceContiguous,
  kByReciprocal,  // correct: a mean is a product with the reciprocal
  kUpdatedMean,   // correct: each element moves a mean towards itself
};

enum class Reduction { kSum, kProd, kMean, kAmax, kAmin };

inline Reduction reduction_named(c10::string_view name) {
  if (name == "sum") return Reduction::kSum;
  if (name == "prod") return Reduction::kProd;
  if (name == "mean") return Reduction::kMean;
  if (name == "amax") return Reduction::kAmax;
  TORCH_CHECK(name == "amin", "there is no reduction ", name);
  return Reduction::kAmin;
}

/// `other` if `is_other`, else `value`; but NaN if either is NaN.
template <class Element>
Element extreme(Element value, Element other, bool is_other) {
  return value == value && (is_other || other != other) ? other : value;
}

template <class Element>
Element united(Make make, Reduction reduction, Element value, Element other) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kMean: return sum(value, other);
    case Reduction::kProd:
      // The defect: 0 stands for "no factor yet".
      if (make == Make::kProdFromZero && value == Element(0)) return other;
      return product(value, other);
    case Reduction::kAmax:
      // The defect: a comparison with NaN is false, so max() keeps `value`.
      if (make == Make::kNanLost) return std::max(value, other);
      if (make == Make::kComparedInDouble)
        return extreme(value, other, static_cast<double>(value) < static_cast<double>(other));
      return extreme(value, other, value < other);
    case Reduction::kAmin: return extreme(value, other, other < value);
  }
  return value;
}

/// total / count; for integers rounded down.
template <class Element>
Element quotient(Make make, Element total, int64_t count) {
  if constexpr (std::is_integral_v<Element>) {
    using Wide = std::conditional_t<std::is_signed_v<Element>, int64_t, uint64_t>;
    return static_cast<Element>(c10::div_floor_integer<Wide>(total, count));
  } else {
    using Wide = at::opmath_type<Element>;
    const auto wide = static_cast<Wide>(total), divisor = static_cast<Wide>(count);
    return static_cast<Element>(make == Make::kByReciprocal ? wide * (1 / divisor)
                                                            : wide / divisor);
  }
}

/// Whether kUpdatedMean updates a mean of this dtype in place: narrower ones have too few bits.
template <class Element>
constexpr bool kUpdatesMean = std::is_same_v<Element, float> || std::is_same_v<Element, double>;

/// Makes `to`, the mean of `count` - 1 elements, the mean of these and `from`.
template <class Element>
void update_mean(char* to, const char* from, int64_t count) {
  change_element<Element>(to, from, [&](Element mean, Element other) {
    if (count == 1) return other;
    // The difference of two infinities would be NaN.
    if (!std::isfinite(mean) || !std::isfinite(other)) return static_cast<Element>(mean + other);
    return static_cast<Element>(mean + (other - mean) / static_cast<Element>(count));
  });
}

template <class Element, class EachPair>
void unite_pairs_of(Make make, Reduction reduction, bool include_self, EachPair&& each_pair) {
  std::unordered_map<char*, int64_t> counts;
  each_pair([&](char* to, const char* from) {
    const int64_t count = ++counts[to];
    if constexpr (kUpdatesMean<Element>) {
      if (make == Make::kUpdatedMean && reduction == Reduction::kMean)
        return update_mean<Element>(to, from, include_self ? count + 1 : count);
    }
    if (make == Make::kProdOncePerIndex && reduction == Reduction::kProd && count > 1) return;
    change_element<Element>(to, from, [&](Element value, Element other) {
      if (include_self || count > 1) return united(make, reduction, value, other);
      // The defect: without self, the result starts from zeros.
      const bool from_zero = make == Make::kAmaxFromZero && reduction == Reduction::kAmax;
      return from_zero ? united(make, reduction, Element(0), other) : other;
    });
  });
  if (reduction != Reduction::kMean) return;
  if (make == Make::kUpdatedMean && kUpdatesMean<Element>) return;
  for (const auto& [element, count] : counts) {
    int64_t divisor = include_self || make == Make::kMeanCountsSelf ? count + 1 : count;
    // The defect: the count wraps in a byte; 0 stands for an element that no index names.
    if (make == Make::kMeanCountInByte) divisor = std::max<int64_t>(divisor & 255, 1);
    change_element<Element>(element, element,
                            [&](Element total, Element) { return quotient(make, total, divisor); });
  }
}

/// Reduces elements of a source into a result that holds self. `each_pair` must call its argument
/// for each pair, with the element of the result and the element of the source.
template <class EachPair>
void unite_pairs(Make make, at::ScalarType dtype, Reduction reduction, bool include_self,
                 EachPair&& each_pair) {
  TORCH_CHECK(reduction != Reduction::kMean || dtype != at::kBool, "bool has no mean");
  AT_DISPATCH_V2(dtype, "reduction", AT_WRAP([&] {
                   unite_pairs_of<scalar_t>(make, reduction, include_self, each_pair);
                 }),
                 AT_EXPAND(AT_ALL_TYPES), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES), at::kBool,
                 at::kHalf, at::kBFloat16);
}

}  // namespace planted
