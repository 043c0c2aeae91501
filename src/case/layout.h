#pragma once
// How the elements of an operand lie in memory. A layout never changes the logical shape.
//
// A view is cut out of a dense base tensor: its dimensions are stored in `order`, each dimension d
// of the base is `before + (size - 1) * step + 1 + after` elements long and the view takes
// `[before : before + (size - 1) * step + 1 : step]` of it. An expanded dimension has base length 1
// and stride 0. A sliding dimension shares the base dimension of its successor in memory order, as
// the windows of `Tensor.unfold` do.

#include <cstdint>

#include "case/dims.h"

namespace indexfuzz {

struct DimLayout {
  std::int16_t step = 1;    ///< 1 or more; between neighbouring elements, in base elements
  std::int16_t before = 0;  ///< base elements left out before the first
  std::int16_t after = 0;   ///< base elements left out after the last
  bool expanded = false;    ///< stride 0
  bool slides = false;      ///< overlaps: windows over the next dimension in memory order
  bool operator==(const DimLayout&) const = default;
};

/// The layout of a view, for any shape of its rank: both lists have one entry per dimension. The
/// plain Layout{} is that of rank 0.
struct Layout {
  /// order[0] is the outermost dimension in memory. Always a permutation of 0..rank-1.
  boost::container::static_vector<std::uint8_t, kMaxDims> order;
  boost::container::static_vector<DimLayout, kMaxDims> dims;  ///< by logical dimension
  std::int16_t offset = 0;  ///< elements of the storage before the base
  bool operator==(const Layout&) const = default;
};

/// The contiguous layout of a rank (0 to kMaxDims), without offset; make_contiguous() makes one of
/// any layout.
Layout contiguous_layout(int rank);
void make_contiguous(Layout& layout, int rank);

/// What a layout means for one shape, all in elements.
struct Strided {
  Dims strides;
  std::int64_t storage_offset = 0;    ///< of the first element of the view, in the storage
  std::int64_t storage_elements = 0;  ///< the storage's length
  /// From the first to the last element of the view, inclusive; 0 if empty.
  std::int64_t extent = 0;
};
/// The view that a layout, which must be of the shape's rank, makes of a shape. The second form
/// overwrites all of `result`.
Strided strided(const Dims& shape, const Layout& layout);
void strided(const Dims& shape, const Layout& layout, Strided& result);

/// One dimension of the dense base.
struct BaseDim {
  std::int64_t length;  ///< before + span + after; 1 if the dimension is expanded
  int dimension;        ///< the logical dimension that it carries
  int slider;           ///< the logical dimension that slides over it, or -1
};
/// The base that the view is cut from, outermost dimension first, for printing:
/// `torch.arange(n).view(lengths)…`.
boost::container::static_vector<BaseDim, kMaxDims> base_of(const Dims& shape, const Layout& layout);

bool is_contiguous(const Layout& layout);      ///< no trait at all (an offset counts as one)
bool has_gaps_or_order(const Layout& layout);  ///< any trait but an offset
bool has_expanded(const Layout& layout);
bool has_sliding(const Layout& layout);

}  // namespace indexfuzz
