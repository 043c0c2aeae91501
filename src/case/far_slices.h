#pragma once
// Operands with huge strides: few elements, whose offsets need more than 32 bits.

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

/// A view with its slices far apart.
Strided spread(Strided view, const FarSlices& slices);
/// The view of an operand as it lies on a GPU.
Strided far_view(const Operand& operand);

}  // namespace indexfuzz
