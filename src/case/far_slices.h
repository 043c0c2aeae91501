#pragma once
// Operands with huge strides: few elements, whose offsets need more than 32 bits. A case holds them
// as the layout says; their slices lie apart only while a call is under way.

#include <cstdint>
#include <optional>

#include "case/case.h"

namespace indexfuzz {

/// What slices lie apart that are not kNear, in elements: two to the power of this.
constexpr int far_exponent(Slices slices) {
  return slices == Slices::kHalfFar ? 30 : 31;
}
inline constexpr std::int64_t kFarStride = std::int64_t{1} << far_exponent(Slices::kFar);
inline constexpr std::int64_t kMostFarSlices = 8;
inline constexpr std::int64_t kMostFarSliceBytes = 1 << 20;

/// The slices along the outermost dimension in memory that has two places or more.
struct FarSlices {
  std::size_t dimension;
  std::int64_t count;
  std::int64_t stride;  ///< in elements, where they lie as the layout says
  std::int64_t extent;  ///< of one slice, in elements
  std::int64_t apart;   ///< from one to the next where they lie far apart, in elements
};
/// None where the operand has no such dimension, it has too many places, or the slices are too
/// large. Of one that is kNear as if it were kFar.
std::optional<FarSlices> far_slices(const Operand& operand);

/// The same in bytes.
struct FarPlaces {
  std::int64_t count = 0;        ///< 0: all lies as the layout says
  std::int64_t near_bytes = 0;   ///< from one slice to the next as the layout says
  std::int64_t slice_bytes = 0;  ///< of one
  std::int64_t apart_bytes = 0;  ///< from one to the next where they lie far apart
};
FarPlaces in_bytes(const FarSlices& slices, Dtype dtype);

/// A view with its slices far apart.
Strided spread(Strided view, const FarSlices& slices);
/// The view of an operand as a call sees it.
Strided far_view(const Operand& operand);

/// Whether what lies so many bytes behind the first of the far slices lies in one of them.
bool in_slice(const FarPlaces& places, std::int64_t far_offset);
/// Where it lies as the layout says, in bytes behind the first slice; what lies between slices is
/// taken for the beginning of the one before it.
std::int64_t near_offset(const FarPlaces& places, std::int64_t far_offset);
/// The strides that a view has where its slices do not lie apart.
void bring_together(const FarSlices& slices, Dims& strides);

}  // namespace indexfuzz
