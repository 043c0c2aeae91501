#pragma once
// The values of an operand's elements, as a function of the logical row-major index, never of
// memory. Fills are frozen by name: another algorithm gets another name and number.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

/// What sets a fill apart, as bits of FillInfo::flags.
namespace fill_flag {
enum Flag : std::uint8_t {
  kOfOffsets = 1,     ///< is_of_offsets()
  kForSums = 2,       ///< is_for_sums()
  kHasUnit = 4,       ///< has_unit()
  kSubnormal = 8,     ///< is_subnormal()
  kForProducts = 16,  ///< is_for_products()
  kSeedless = 32,     ///< no element depends on the seed, but that some indices may be negative
};
}  // namespace fill_flag

/// A fill, its name in the text form and its properties.
struct FillInfo {
  FillKind kind;
  std::string_view name;
  FillFamily family;
  unsigned flags = 0;  ///< of fill_flag
};
/// All fills. In the byte form a number that names no fill is decoded as an index into this list:
/// append new fills at the end.
inline constexpr FillInfo kFills[] = {
    {FillKind::kIndex, "index", FillFamily::kValue},
    {FillKind::kHash1, "hash1", FillFamily::kValue},
    {FillKind::kSums1, "sums1", FillFamily::kValue, fill_flag::kForSums},
    {FillKind::kSpecial1, "special1", FillFamily::kValue},
    {FillKind::kZeros, "zeros", FillFamily::kValue, fill_flag::kSeedless},
    {FillKind::kFirst, "first", FillFamily::kIndex, fill_flag::kSeedless},
    {FillKind::kLast, "last", FillFamily::kIndex, fill_flag::kSeedless},
    {FillKind::kAscending, "ascending", FillFamily::kIndex, fill_flag::kSeedless},
    {FillKind::kDescending, "descending", FillFamily::kIndex, fill_flag::kSeedless},
    {FillKind::kRandom1, "random1", FillFamily::kIndex},
    {FillKind::kFew1, "few1", FillFamily::kIndex},
    {FillKind::kDistinct1, "distinct1", FillFamily::kIndex},
    {FillKind::kMaskFront, "mask_front", FillFamily::kMask},
    {FillKind::kMaskBack, "mask_back", FillFamily::kMask},
    {FillKind::kMaskSpread1, "mask_spread1", FillFamily::kMask},
    {FillKind::kMaskMixed1, "mask_mixed1", FillFamily::kMask},
    {FillKind::kOnes, "ones", FillFamily::kValue, fill_flag::kSeedless},
    {FillKind::kSums2, "sums2", FillFamily::kValue, fill_flag::kForSums | fill_flag::kHasUnit},
    {FillKind::kSums3, "sums3", FillFamily::kValue, fill_flag::kForSums},
    {FillKind::kFactor1, "factor1", FillFamily::kValue, fill_flag::kForSums},
    {FillKind::kMaskRandom1, "mask_random1", FillFamily::kMask},
    {FillKind::kSums4, "sums4", FillFamily::kValue, fill_flag::kForSums},
    {FillKind::kBetween1, "between1", FillFamily::kValue},
    {FillKind::kFactor2, "factor2", FillFamily::kValue, fill_flag::kForSums},
    {FillKind::kRuns1, "runs1", FillFamily::kIndex},
    {FillKind::kProducts1, "products1", FillFamily::kValue, fill_flag::kForProducts},
    {FillKind::kOffsets1, "offsets1", FillFamily::kIndex, fill_flag::kOfOffsets},
    {FillKind::kOffsets2, "offsets2", FillFamily::kIndex, fill_flag::kOfOffsets},
    {FillKind::kProducts2, "products2", FillFamily::kValue, fill_flag::kForProducts},
    {FillKind::kLone1, "lone1", FillFamily::kValue},
    {FillKind::kSpecial2, "special2", FillFamily::kValue},
    {FillKind::kFactor3, "factor3", FillFamily::kValue, fill_flag::kForSums},
    {FillKind::kClose1, "close1", FillFamily::kValue},
    {FillKind::kSums5, "sums5", FillFamily::kValue, fill_flag::kForSums},
    {FillKind::kSums6, "sums6", FillFamily::kValue,
     fill_flag::kForSums | fill_flag::kHasUnit | fill_flag::kSubnormal},
    {FillKind::kSorted1, "sorted1", FillFamily::kValue},
    {FillKind::kSearched1, "searched1", FillFamily::kValue},
    {FillKind::kSorted2, "sorted2", FillFamily::kValue},
    {FillKind::kDistinct2, "distinct2", FillFamily::kIndex},
    {FillKind::kOffsets3, "offsets3", FillFamily::kIndex, fill_flag::kOfOffsets},
    {FillKind::kOffsets4, "offsets4", FillFamily::kIndex, fill_flag::kOfOffsets},
    {FillKind::kCounts1, "counts1", FillFamily::kIndex},
    {FillKind::kOffsets5, "offsets5", FillFamily::kIndex, fill_flag::kOfOffsets},
    {FillKind::kLengths1, "lengths1", FillFamily::kIndex, fill_flag::kOfOffsets},
    {FillKind::kSorted3, "sorted3", FillFamily::kValue},
    {FillKind::kSorted4, "sorted4", FillFamily::kValue},
    {FillKind::kSearched2, "searched2", FillFamily::kValue},
    {FillKind::kWrapped1, "wrapped1", FillFamily::kValue},
    {FillKind::kSums7, "sums7", FillFamily::kValue,
     fill_flag::kForSums | fill_flag::kHasUnit | fill_flag::kSubnormal},
    {FillKind::kSums8, "sums8", FillFamily::kValue, fill_flag::kForSums | fill_flag::kHasUnit},
};

/// What FillInfo says of a fill, without its names.
struct FillProperties {
  FillFamily family = FillFamily::kValue;
  std::uint8_t flags = 0;
};
/// Indexed by number, since they are read many times per case.
inline constexpr auto kFillProperties = [] {
  std::array<FillProperties, 256> by_number{};
  for (const FillInfo& fill : kFills)
    by_number[static_cast<std::size_t>(fill.kind)] = {fill.family,
                                                      static_cast<std::uint8_t>(fill.flags)};
  return by_number;
}();
constexpr FillFamily family(FillKind kind) {
  return kFillProperties[static_cast<std::size_t>(kind)].family;
}
constexpr bool has(FillKind kind, fill_flag::Flag flag) {
  return (kFillProperties[static_cast<std::size_t>(kind)].flags & flag) != 0;
}
/// Whether a fill is one of offsets, or of the lengths between them.
constexpr bool is_of_offsets(FillKind kind) {
  return has(kind, fill_flag::kOfOffsets);
}
/// Whether a fill is meant for operands that are summed. Other operands may hold it like any fill.
constexpr bool is_for_sums(FillKind kind) {
  return has(kind, fill_flag::kForSums);
}
/// Whether the numbers of a fill for sums are multiples of another unit than 1, so that only those
/// of one such fill have exact sums with one another.
constexpr bool has_unit(FillKind kind) {
  return has(kind, fill_flag::kHasUnit);
}
/// Whether sums of a fill's numbers are subnormal.
constexpr bool is_subnormal(FillKind kind) {
  return has(kind, fill_flag::kSubnormal);
}
/// Whether a fill is meant for operands that are multiplied, as is_for_sums() says of sums.
constexpr bool is_for_products(FillKind kind) {
  return has(kind, fill_flag::kForProducts);
}
/// Above all numbers of counts1.
inline constexpr std::int64_t kBoundOfCounts1 = 328;
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
  return !has(fill.kind, fill_flag::kSeedless) || fill.negatives == Negatives::kSome;
}

}  // namespace indexfuzz
