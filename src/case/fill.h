#pragma once
// The values of an operand's elements, as a function of the logical row-major index, never of
// memory. Fills are frozen by name: another algorithm gets another name and number.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "case/dtype.h"

namespace indexfuzz {

enum class FillKind : std::uint8_t {
  // Values.
  kIndex = 0,  ///< index + 1 for self, -(index + 1) for the others, so that a value tells which
               ///< element it came from; hash1 if the dtype is too narrow or, except for self, has
               ///< no sign
  kHash1 = 1,  ///< a hash of (index, seed, operand); floating point: finite
  kSums1 = 2,  ///< integers so small that self plus any sum over the operand is exact in any order
  kSpecial1 = 3,  ///< hashes with NaN payloads, signed zeros, infinities, extremes, 2^53 + 1
  kZeros = 4,
  kOnes = 5,
  kSums2 = 6,    ///< float, double: sums1 times a constant; in double with more bits than a float
                 ///< has; elsewhere sums1
  kSums3 = 7,    ///< sums1; in floating point of 16 bits or more with infinities, NaN and, among
                 ///< self's, -0.0, whose sums are the same in any order
  kFactor1 = 8,  ///< 0.5, -0.5, 2, -1.5, even if the call converts them to bool or to a signed
                 ///< integer, which drops the fraction; integers: 2, -2, 3, -3; fnuz: 2, -1
  kSums4 = 9,    ///< floating point: for self numbers that use all bits, for the others such small
                 ///< ones that self plus one of them is rounded, ties among them; integers: hash1
  kBetween1 = 10,   ///< numbers between those of the dtype that the call converts to, ties among
                    ///< them; hash1 if that conversion does not round, or not in one way
  kFactor2 = 11,    ///< double: factors with more bits than a float has; elsewhere factor1
  kProducts1 = 12,  ///< floating point: integers so small, or so seldom other than 1 and -1, that
                    ///< an element of self times all of the other operand is exact in any order;
                    ///< integers: hash1
  kProducts2 = 13,  ///< products1 with one of 0.0, -0.0, an infinity and NaN among them, whose
                    ///< products are the same in any order
  kLone1 = 14,      ///< small numbers in one row along the last dimension, zeros in all others
  kSpecial2 = 15,   ///< special1 without NaN
  // Indices into a dimension of `bound` elements.
  kFirst = 16,       ///< all 0
  kLast = 17,        ///< all bound - 1
  kAscending = 18,   ///< i mod bound
  kDescending = 19,  ///< bound - 1 - i mod bound
  kRandom1 = 20,     ///< hash mod bound
  kFew1 = 21,        ///< hash mod min(bound, 2): many duplicates
  kDistinct1 = 22,   ///< (i * step + seed) mod bound, step coprime to bound: no duplicate among the
                     ///< first `bound`
  kRuns1 = 23,       ///< first + span * i / count, or first + span * (i / count)^2: ascending runs
                     ///< of equal positions
  kOffsets1 = 24,    ///< non-decreasing from 0, all below bound
  kOffsets2 = 25,    ///< non-decreasing from 0, the last (of several) is bound - 1
  kDistinct2 = 26,   ///< in each run of `bound` elements each position once, as in distinct1 but
                     ///< turned from run to run
  kOffsets3 = 27,    ///< offsets1 with steps of random lengths, some of them 0
  kOffsets4 = 28,    ///< offsets2 with such steps
  kCounts1 = 29,     ///< small numbers, the same whatever the bound; at most one of 128 to 327
  kOffsets5 = 30,    ///< in each row along the last dimension non-decreasing from 0 to bound - 1,
                     ///< by steps of one length or as in offsets4; of each row another way
  kLengths1 = 31,    ///< in each row numbers that add up to bound - 1: steps like those of offsets5
  // Masks with exactly `popcount` elements set. With an odd seed, the set elements of a uint8 mask
  // hold any non-zero number instead of 1. In operands of other dtypes than bool, set elements then
  // hold any non-zero number, the others zeros of either sign.
  kMaskFront = 32,
  kMaskBack = 33,
  kMaskSpread1 = 34,  ///< evenly spread
  kMaskMixed1 = 35,   ///< mask_front under a permutation of the positions
  kMaskRandom1 = 36,  ///< every choice of positions is equally likely
  // More values.
  kFactor3 = 48,  ///< factor1 with zeros among them
  kClose1 = 49,   ///< integers that use all bits and are so close to one another that a narrower
                  ///< dtype does not tell them apart; bool: hash1
  kSums5 = 50,    ///< integers: sums1 with all the bits that the dtype has; elsewhere sums1
  kSums6 = 51,    ///< float, double: sums1 times four times the smallest subnormal, so that halves
                  ///< and quarters are exact too; elsewhere sums1
  kSorted1 = 52,  ///< integers that do not decrease along the last dimension, with ties and gaps
  kSearched1 = 53,  ///< integers among those of sorted1 and just outside them
  kSorted2 = 54,    ///< sorted1 in the order that the call's index operand names: of a row its
                    ///< element index[i] is the i-th
  kSorted3 = 55,    ///< special numbers that do not decrease along the last dimension, with ties:
                    ///< infinities and extremes, the smallest ones, zeros of either sign, fractions
  kSorted4 = 56,    ///< sorted3 in the order of the call's index operand, as in sorted2
  kSearched2 = 57,  ///< numbers among those of sorted3, and the next ones on either side of them
  kWrapped1 = 58,   ///< for a number that the call converts to an integer dtype: fractions, which
                    ///< are dropped (positive ones for an unsigned dtype), or, for an unsigned
                    ///< dtype, negative integers, which wrap; elsewhere factor1
  kSums7 = 59,      ///< float16, bfloat16: as sums6 in float; elsewhere sums1
  kSums8 = 60,      ///< floating point of 16 bits or more: sums1 times so large a power of two that
                    ///< sums of all bits are near the largest number; elsewhere sums1
};

enum class FillFamily : std::uint8_t { kValue, kIndex, kMask };
/// The simplest fill of a family.
inline FillKind plainest(FillFamily family) {
  switch (family) {
    case FillFamily::kValue: return FillKind::kIndex;
    case FillFamily::kIndex: return FillKind::kFirst;
    case FillFamily::kMask: return FillKind::kMaskFront;
  }
  return FillKind::kIndex;
}
/// The plainest dtype of an operand with a fill of the family.
constexpr Dtype plainest_dtype(FillFamily family) {
  switch (family) {
    case FillFamily::kValue: return Dtype::kFloat;
    case FillFamily::kIndex: return Dtype::kInt64;
    case FillFamily::kMask: return Dtype::kBool;
  }
  return Dtype::kFloat;
}

/// The family that a fill belongs to, from its number.
inline FillFamily family(FillKind kind) {
  const auto number = static_cast<int>(kind);
  if (number < 16 || number >= 48) return FillFamily::kValue;
  return number < 32 ? FillFamily::kIndex : FillFamily::kMask;
}
/// Above all numbers of counts1.
inline constexpr std::int64_t kBoundOfCounts1 = 328;
/// Whether a fill is one of offsets, or of the lengths between them.
inline bool is_of_offsets(FillKind kind) {
  return kind == FillKind::kOffsets1 || kind == FillKind::kOffsets2 ||
         kind == FillKind::kOffsets3 || kind == FillKind::kOffsets4 ||
         kind == FillKind::kOffsets5 || kind == FillKind::kLengths1;
}
/// Whether a fill is meant for operands that are summed. Other operands may hold it like any fill.
inline bool is_for_sums(FillKind kind) {
  return kind == FillKind::kSums1 || kind == FillKind::kSums2 || kind == FillKind::kSums3 ||
         kind == FillKind::kSums4 || kind == FillKind::kFactor1 || kind == FillKind::kFactor2 ||
         kind == FillKind::kFactor3 || kind == FillKind::kSums5 || kind == FillKind::kSums6 ||
         kind == FillKind::kSums7 || kind == FillKind::kSums8;
}
/// Whether the numbers of a fill for sums are multiples of another unit than 1, so that only those
/// of one such fill have exact sums with one another.
inline bool has_unit(FillKind kind) {
  return kind == FillKind::kSums2 || kind == FillKind::kSums6 || kind == FillKind::kSums7 ||
         kind == FillKind::kSums8;
}
/// Whether sums of a fill's numbers are subnormal.
inline bool is_subnormal(FillKind kind) {
  return kind == FillKind::kSums6 || kind == FillKind::kSums7;
}
/// The same for products.
inline bool is_for_products(FillKind kind) {
  return kind == FillKind::kProducts1 || kind == FillKind::kProducts2;
}
/// A fill and its name in the text form.
struct NamedFill {
  FillKind kind;
  std::string_view name;
};
/// All fills. The byte form depends on their order.
std::span<const NamedFill> named_fills();
std::string_view name(FillKind kind);  ///< "index", "hash1", "mask_front"; "unknown" if it has none
std::optional<FillKind> fill_from_name(std::string_view name);

/// Which indices are written as index - bound, if the operator wraps negative ones.
enum class Negatives : std::uint8_t { kNone = 0, kAll = 1, kSome = 2 };

/// Which values an operand holds. Together with its shape and dtype, and the operator, this decides
/// every element.
struct Fill {
  FillKind kind = FillKind::kIndex;
  Negatives negatives = Negatives::kNone;  ///< indices only
  std::uint16_t repeats = 0;  ///< bit d: the values do not depend on the coordinate of dimension d
  std::uint32_t seed = 0;
  /// Masks only: distinct positions set, before `repeats` multiplies them.
  std::uint32_t popcount = 0;
  bool operator==(const Fill&) const = default;
};

/// Whether the elements may depend on the seed; for some fills only those of some dtypes do.
inline bool reads_seed(const Fill& fill) {
  switch (fill.kind) {
    case FillKind::kZeros:
    case FillKind::kOnes:
    case FillKind::kFirst:
    case FillKind::kLast:
    case FillKind::kAscending:
    case FillKind::kDescending: return fill.negatives == Negatives::kSome;
    default: return true;
  }
}

}  // namespace indexfuzz
