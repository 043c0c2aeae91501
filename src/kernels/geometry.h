#pragma once
// From tensors to the sizes and strides that the bodies take.

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include "indexed.h"

namespace kernels {

using at::DimVector;
using at::IntArrayRef;
using at::Tensor;

/// Sizes and byte strides of one operand.
struct View {
  DimVector sizes;
  DimVector strides;
};

View view(const Tensor& tensor);

/// A tensor of rank 0 counts as one dimension of size 1, as in ATen's index_select, gather and
/// scatter_add.
View view_1d(const Tensor& tensor);

/// Byte strides of the tensor broadcast to `sizes`, which it must broadcast to.
DimVector broadcast_strides(const Tensor& tensor, IntArrayRef sizes);

/// The index tensor of one dimension of the indexed operand. `bound`, `step`: as in IndexTensor.
struct IndexOperand {
  Tensor tensor;
  DimVector strides;  ///< in bytes, along the dimensions that are walked
  int64_t bound;
  int64_t step;
};

/// Drops dimensions of size 1 and joins neighbours that every operand walks as one. `strides`: one
/// vector per operand, changed accordingly. Throws if more than kMaxDims dimensions remain.
Shape join(IntArrayRef sizes, c10::ArrayRef<DimVector*> strides);

/// The strides of one operand, as join() left them.
Strides packed(const DimVector& strides);

/// Joins the dimensions. Throws if a position of an index tensor on the CPU is out of range, unless
/// `sizes` is empty of elements: then no position is used.
Indexed make_indexed(IntArrayRef sizes, DimVector plain, DimVector indexed,
                     std::vector<IndexOperand> tensors, bool wraps);

inline char* written_data(const Tensor& tensor) {
  return static_cast<char*>(tensor.mutable_data_ptr());
}
inline const char* read_data(const Tensor& tensor) {
  return static_cast<const char*>(tensor.const_data_ptr());
}
inline int item_size(const Tensor& tensor) {
  return static_cast<int>(tensor.element_size());
}

}  // namespace kernels
