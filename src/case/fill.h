#pragma once
// What the elements of an operand hold: a function of the logical row-major index, never of memory.
// Fills are frozen by name: another algorithm gets another name and number.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace indexfuzz {

enum class FillKind : std::uint8_t {
  // Values.
  kIndex = 0,  ///< index + 1 for self, -(index + 1) for the others, so that no two elements of a
               ///< call are alike; hash1 where the dtype is too narrow or has no sign
  kHash1 = 1,  ///< a hash of (index, seed, operand); floating point: finite
  kSums1 =
      2,  ///< integers so small that self plus every sum over the operand is exact in any order
  kSpecial1 = 3,  ///< NaN payloads, signed zeros, infinities, extremes, 2^53 + 1, among hashes
  kZeros = 4,
  kOnes = 5,
  kSums2 = 6,       ///< sums1 times a factor: fractions; in double more bits than a float has
  kSums3 = 7,       ///< sums1; where the dtype has them, infinities and NaN among them and, among
                    ///< self's, -0.0, whose sums are the same in any order
  kFactor1 = 8,     ///< 0.5, -0.5, 2, -1.5, also where a bool or a signed integer is to take them,
                    ///< which cuts the fraction off; 2, -2, 3, -3 in integers
  kSums4 = 9,       ///< floating point: numbers of as many bits as there are for self, and so small
                    ///< ones for the others that self plus one of them is rounded, ties among them;
                    ///< hash1 in integers
  kBetween1 = 10,   ///< numbers between those of the dtype that the call converts to, ties among
                    ///< them; hash1 where it converts to none that rounds
  kFactor2 = 11,    ///< factor1 with more bits than a float has, in double; elsewhere factor1
  kProducts1 = 12,  ///< floating point: integers so small, or so few of them other than 1 and -1,
                    ///< that one of self times all others is exact in any order; hash1 in integers
  kProducts2 = 13,  ///< products1, among them zeros of either sign, infinities or NaN, whose
                    ///< products are the same in any order
  kLone1 = 14,      ///< zeros, but for one position of all dimensions but the last: small numbers
  kSpecial2 = 15,   ///< special1 without NaN
  // Indices into a dimension of `bound` elements.
  kFirst = 16,       ///< all 0
  kLast = 17,        ///< all bound - 1
  kAscending = 18,   ///< i mod bound
  kDescending = 19,  ///< bound - 1 - i mod bound
  kRandom1 = 20,     ///< hash mod bound
  kFew1 = 21,        ///< hash mod min(bound, 2): many duplicates
  kDistinct1 = 22,   ///< (i * odd + seed) mod bound: no duplicate among the first `bound`
  kRuns1 = 23,       ///< first + i * span / count, or with (i / count)^2: sorted runs of a position
  kOffsets1 = 24,    ///< 0 first, none below the one before, all below bound
  kOffsets2 = 25,    ///< the same, and the last is bound - 1
  // Masks with exactly `popcount` elements set.
  kMaskFront = 32,
  kMaskBack = 33,
  kMaskSpread1 = 34,  ///< evenly spread
  kMaskMixed1 = 35,   ///< spread by a permutation of the positions
  kMaskRandom1 = 36,  ///< any of so many positions is as likely as any other
  // More values.
  kFactor3 = 48,  ///< factor1, and zeros among them
  kClose1 = 49,   ///< numbers of as many bits as there are and near one another, which a narrower
                  ///< dtype does not tell apart; hash1 in bool
  kSums5 = 50,    ///< integers: as sums1, with all the bits that the dtype has; elsewhere sums1
  kSums6 = 51,    ///< floating point of 32 bits or more: sums1 times four times the least number
                  ///< above 0, so that their halves and quarters are exact too; elsewhere sums1
  // With an odd seed a uint8 mask holds numbers other than 1 where it is set, and an operand of
  // another dtype that is filled as a mask any number but 0 there and zeros of either sign
  // elsewhere.
};

enum class FillFamily : std::uint8_t { kValue, kIndex, kMask };
/// The fill of a family that stands for no choice.
inline FillKind plainest(FillFamily family) {
  switch (family) {
    case FillFamily::kValue: return FillKind::kIndex;
    case FillFamily::kIndex: return FillKind::kFirst;
    case FillFamily::kMask: return FillKind::kMaskFront;
  }
  return FillKind::kIndex;
}

inline FillFamily family(FillKind kind) {
  const auto number = static_cast<int>(kind);
  if (number < 16 || number >= 48) return FillFamily::kValue;
  return number < 32 ? FillFamily::kIndex : FillFamily::kMask;
}
/// What operands that are summed hold; elsewhere sums1 and its like are values as any other.
inline bool is_for_sums(FillKind kind) {
  return kind == FillKind::kSums1 || kind == FillKind::kSums2 || kind == FillKind::kSums3 ||
         kind == FillKind::kSums4 || kind == FillKind::kFactor1 || kind == FillKind::kFactor2 ||
         kind == FillKind::kFactor3 || kind == FillKind::kSums5 || kind == FillKind::kSums6;
}
struct NamedFill {
  FillKind kind;
  std::string_view name;
};
/// All there are, in the order that stored bytes depend on.
std::span<const NamedFill> named_fills();
std::string_view name(FillKind kind);  ///< "index", "hash1", "mask_front"
std::optional<FillKind> fill_from_name(std::string_view name);

/// Which indices are written as index - bound, where the operator wraps negative ones.
enum class Negatives : std::uint8_t { kNone = 0, kAll = 1, kSome = 2 };

struct Fill {
  FillKind kind = FillKind::kIndex;
  Negatives negatives = Negatives::kNone;  ///< indices only
  std::uint16_t repeats = 0;  ///< bit d: the values do not depend on the coordinate of dimension d
  std::uint32_t seed = 0;
  std::uint32_t popcount =
      0;  ///< masks only: distinct positions set (before `repeats` multiplies them)
  bool operator==(const Fill&) const = default;
};

/// Whether its elements depend on the seed; of some kinds they do in some dtypes only.
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
