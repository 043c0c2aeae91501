#pragma once
// Two operands that are walked together: `plain` (the result of index_select, the source of
// index_add) element by element, `indexed` (self) at the positions that index tensors hold.

#include "element.h"
#include "require.h"

namespace kernels {

/// Positions along one dimension of the indexed operand.
struct IndexTensor {
  const char* data = nullptr;
  Strides strides;
  std::int64_t bound = 0;  ///< positions lie below it
  std::int64_t step = 0;   ///< bytes from one position of the indexed operand to the next
  bool wide = false;       ///< int64, else int32
};

struct Indexed {
  Shape shape;
  Strides plain;
  Strides indexed;  ///< 0 along dimensions whose positions come from an index tensor
  int tensors = 0;
  bool wraps = false;  ///< a negative position counts from the end
  IndexTensor tensor[kMaxDims];
};

struct Place {
  std::int64_t plain;
  std::int64_t indexed;
};

HOST_DEVICE inline std::int64_t step_to(const IndexTensor& tensor, std::int64_t offset,
                                        bool wraps) {
  std::int64_t position = tensor.wide ? load<std::int64_t>(tensor.data + offset)
                                      : load<std::int32_t>(tensor.data + offset);
  if (wraps && position < 0) position += tensor.bound;
  require_in_range(0 <= position && position < tensor.bound);
  return position * tensor.step;
}

/// The byte offsets of element i in both operands.
HOST_DEVICE inline Place place_of(const Indexed& x, std::int64_t i) {
  if (x.tensors == 0) {  // an index list of gaps alone
    const Offsets<2> at = offsets(x.shape, i, x.plain, x.indexed);
    return {at.bytes[0], at.bytes[1]};
  }
  const Offsets<3> at = offsets(x.shape, i, x.plain, x.indexed, x.tensor[0].strides);
  Place place{at.bytes[0], at.bytes[1] + step_to(x.tensor[0], at.bytes[2], x.wraps)};
  for (int k = 1; k < x.tensors; ++k) {
    const Offsets<1> more = offsets(x.shape, i, x.tensor[k].strides);
    place.indexed += step_to(x.tensor[k], more.bytes[0], x.wraps);
  }
  return place;
}

}  // namespace kernels
