#include "along_dim.h"

#include <algorithm>

namespace kernels {

void check_index_fits(const Tensor& index, const Tensor& other, const char* name, int64_t dim) {
  const View which = view_1d(index), bound = view_1d(other);
  TORCH_CHECK(which.sizes.size() == bound.sizes.size(), "the index has ", which.sizes.size(),
              " dimensions, ", name, " has ", bound.sizes.size());
  for (size_t d = 0; d < which.sizes.size(); ++d)
    TORCH_CHECK(static_cast<int64_t>(d) == dim || which.sizes[d] <= bound.sizes[d], "an index of ",
                index.sizes(), " is larger than ", name, " of ", other.sizes(), " in dimension ",
                d);
}

namespace {

Indexed indexed(IntArrayRef sizes, DimVector plain, View self, size_t dim, const Tensor& index,
                DimVector index_strides) {
  IndexOperand tensor{index, std::move(index_strides), self.sizes[dim], self.strides[dim]};
  self.strides[dim] = 0;
  return make_indexed(sizes, std::move(plain), std::move(self.strides), {std::move(tensor)}, false);
}

}  // namespace

Indexed indexed_along(DimVector plain, const Tensor& self, int64_t dim, const Tensor& index) {
  const View which = view_1d(index);
  return indexed(which.sizes, std::move(plain), view_1d(self), static_cast<size_t>(dim), index,
                 which.strides);
}

Indexed indexed_slices(const View& slices, const Tensor& self, int64_t dim, const Tensor& index) {
  const auto d = static_cast<size_t>(dim);
  DimVector index_strides = slices.strides;
  std::fill(index_strides.begin(), index_strides.end(), 0);
  index_strides[d] = view_1d(index).strides[0];
  return indexed(slices.sizes, slices.strides, view_1d(self), d, index, std::move(index_strides));
}

}  // namespace kernels
