#include "geometry.h"

#include <utility>

namespace kernels {
namespace {

/// Whether dimensions `outer` and `inner` can be walked as one in every operand.
bool joins(IntArrayRef sizes, c10::ArrayRef<DimVector*> strides, size_t outer, size_t inner) {
  for (const DimVector* operand : strides)
    if ((*operand)[outer] != (*operand)[inner] * sizes[inner]) return false;
  return true;
}

void check_positions(const IndexOperand& index, bool wraps) {
  const View own = view(index.tensor);
  DimVector strides = own.strides;
  const Shape shape = join(own.sizes, {&strides});
  const Strides packed_strides = packed(strides);
  const char* const data = read_data(index.tensor);
  const bool wide = index.tensor.scalar_type() == at::kLong;
  for (int64_t i = 0, count = index.tensor.numel(); i < count; ++i) {
    const char* const address = data + offsets(shape, i, packed_strides).bytes[0];
    const int64_t position = wide ? load<int64_t>(address) : load<int32_t>(address);
    TORCH_CHECK_INDEX((wraps ? -index.bound : 0) <= position && position < index.bound, "index ",
                      position, " is out of range for a dimension of size ", index.bound);
  }
}

}  // namespace

View view(const Tensor& tensor) {
  View view{DimVector(tensor.sizes()), DimVector(tensor.strides())};
  for (int64_t& stride : view.strides) stride *= tensor.element_size();
  return view;
}

View view_1d(const Tensor& tensor) {
  if (tensor.dim() > 0) return view(tensor);
  return {{1}, {tensor.element_size()}};
}

DimVector broadcast_strides(const Tensor& tensor, IntArrayRef sizes) {
  const size_t missing = sizes.size() - static_cast<size_t>(tensor.dim());
  DimVector strides(sizes.size(), 0);
  for (size_t d = missing; d < sizes.size(); ++d) {
    const auto own = static_cast<int64_t>(d - missing);
    if (tensor.size(own) != 1) strides[d] = tensor.stride(own) * tensor.element_size();
  }
  return strides;
}

Shape join(IntArrayRef sizes, c10::ArrayRef<DimVector*> strides) {
  DimVector joined;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    if (!joined.empty() && joins(sizes, strides, joined.size() - 1, d)) {
      joined.back() *= sizes[d];
    } else {
      joined.push_back(sizes[d]);
    }
    // In place: no stride moves to a later dimension, so none is overwritten before it is read.
    for (DimVector* operand : strides) (*operand)[joined.size() - 1] = (*operand)[d];
  }
  TORCH_CHECK(joined.size() <= kMaxDims, "more than ", kMaxDims,
              " dimensions that lie apart are not supported by this kernel");
  for (DimVector* operand : strides) operand->resize(joined.size());
  Shape shape;
  shape.rank = static_cast<int>(joined.size());
  std::copy(joined.begin(), joined.end(), shape.sizes);
  return shape;
}

Strides packed(const DimVector& strides) {
  Strides packed;
  std::copy(strides.begin(), strides.end(), packed.bytes);
  return packed;
}

Indexed make_indexed(IntArrayRef sizes, DimVector plain, DimVector indexed,
                     std::vector<IndexOperand> tensors, bool wraps) {
  TORCH_CHECK(tensors.size() <= kMaxDims, "more than ", kMaxDims, " index tensors");
  Indexed x;
  bool empty = false;
  for (const int64_t size : sizes) empty = empty || size == 0;
  if (empty) return x;
  c10::SmallVector<DimVector*, kMaxDims + 2> strides{&plain, &indexed};
  for (IndexOperand& index : tensors) {
    if (index.tensor.is_cpu()) check_positions(index, wraps);
    strides.push_back(&index.strides);
  }
  x.shape = join(sizes, strides);
  x.plain = packed(plain);
  x.indexed = packed(indexed);
  x.wraps = wraps;
  x.tensors = static_cast<int>(tensors.size());
  for (size_t k = 0; k < tensors.size(); ++k) {
    const IndexOperand& index = tensors[k];
    x.tensor[k] = {read_data(index.tensor), packed(index.strides), index.bound, index.step,
                   index.tensor.scalar_type() == at::kLong};
  }
  return x;
}

}  // namespace kernels
