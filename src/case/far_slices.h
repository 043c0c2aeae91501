#pragma once
// Operands of few elements whose offsets need more than 32 bits, by huge strides or by very many
// elements of the same tensor in front of them. Only during a call do they lie so in memory; at
// other times as the layout says.

#include <cstdint>
#include <optional>

#include "case/case.h"

namespace indexfuzz {

/// Slices that are_apart() lie 2^far_exponent() elements apart.
constexpr int far_exponent(SlicePlacement slices) {
  return slices == SlicePlacement::kApartBy2To30 ? 30 : 31;
}
inline constexpr std::int64_t kFarStride = std::int64_t{1}
                                           << far_exponent(SlicePlacement::kApartBy2To31);
inline constexpr std::int64_t kMostFarSlices = 8;
inline constexpr std::int64_t kMostFarSliceBytes = 1 << 20;

/// An operand's slices along its outermost dimension in memory, not counting dimensions of size 1
/// and expanded ones.
struct FarSlices {
  std::size_t dimension;
  std::int64_t count;
  std::int64_t stride;  ///< from one to the next as the layout says, in elements
  std::int64_t extent;  ///< of one slice, in elements
  std::int64_t apart;   ///< from one to the next when spread apart, in elements
};
/// nullopt if the operand is empty or has no such dimension, if that dimension slides or lies
/// inside one that does, or if there are more than kMostFarSlices or they take more than
/// kMostFarSliceBytes. An operand that is not kApartBy2To30 is treated as if it were kApartBy2To31.
std::optional<FarSlices> far_slices(const Operand& operand);

inline constexpr std::int64_t kMostLastBytes = 1 << 16;
/// What lies in front of last slices is a multiple of this many bytes: an operand that begins there
/// is aligned as new memory is.
inline constexpr std::int64_t kInFrontMultiple = 512;
/// The most elements by which what lies in front exceeds elements_in_front().
inline constexpr std::int64_t kMostMoreInFront = kInFrontMultiple * kMostLastBytes;
/// Whether the operand can be the last slices of a larger tensor, along dimension 0: it is
/// contiguous, has that dimension and elements, and no more than kMostLastBytes.
bool may_be_last(const Operand& operand);
/// How many elements lie in front of slices that are_last(), if they make whole slices.
constexpr std::int64_t elements_in_front(SlicePlacement slices) {
  return std::int64_t{1} << (slices == SlicePlacement::kLastBehind2To32 ? 32 : 31);
}
/// How many slices lie in front of an operand that are_last(): those of 2^31 or 2^32 elements, or
/// of as few more as make whole slices and a multiple of kInFrontMultiple. 0 for any other operand.
std::int64_t slices_in_front(const Operand& operand);
/// The shape that a call sees: with the slices in front.
Dims called_shape(const Operand& operand);

/// FarSlices in bytes.
struct FarPlaces {
  std::int64_t count = 0;        ///< 0: everything lies as the layout says
  std::int64_t near_bytes = 0;   ///< from one slice to the next as the layout says
  std::int64_t slice_bytes = 0;  ///< of one slice
  std::int64_t apart_bytes = 0;  ///< from one to the next when spread apart
};
FarPlaces in_bytes(const FarSlices& slices, Dtype dtype);

/// The view with its slices spread apart.
Strided spread(Strided view, const FarSlices& slices);
/// The view of an operand as a call sees it.
Strided far_view(const Operand& operand);

/// Whether the byte at `far_offset` from the beginning of the first spread slice lies in a slice.
bool in_slice(const FarPlaces& places, std::int64_t far_offset);
/// The offset of that byte from the first slice when all lies as the layout says. A byte between
/// two slices maps to the beginning of the first of them.
std::int64_t near_offset(const FarPlaces& places, std::int64_t far_offset);
/// Undoes spread() in a view's strides, if they have the spread stride.
void bring_together(const FarSlices& slices, Dims& strides);

}  // namespace indexfuzz
