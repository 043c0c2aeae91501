#include "advanced_index.h"

#include <ATen/ExpandUtils.h>

#include "checks.h"
#include "masks.h"
#include "operands.h"

namespace kernels {
namespace {

bool is_mask(const Tensor& tensor) {
  return tensor.scalar_type() == at::kBool || tensor.scalar_type() == at::kByte;
}

/// A view of column `d` of a mask's coordinates.
Tensor column(const Tensor& coordinates, int64_t d) {
  Tensor column = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(coordinates.storage()), coordinates.key_set(), coordinates.dtype());
  column.unsafeGetTensorImpl()->set_sizes_and_strides(
      IntArrayRef{coordinates.size(0)}, IntArrayRef{coordinates.stride(0)},
      coordinates.storage_offset() + d * coordinates.stride(1));
  return column;
}

void append_mask(const Tensor& self, int64_t dim, const Tensor& mask,
                 std::vector<ListedIndex>& tensors) {
  TORCH_CHECK_INDEX(mask.dim() > 0, "a mask of rank 0 is not supported by this kernel");
  for (int64_t d = 0; d < mask.dim(); ++d)
    TORCH_CHECK_INDEX(dim + d < self.dim() && mask.size(d) == self.size(dim + d), "a mask of ",
                      mask.sizes(), " does not match self of ", self.sizes(), " at dimension ",
                      dim);
  const Tensor coordinates = set_coordinates(mask);
  for (int64_t d = 0; d < mask.dim(); ++d) tensors.push_back({dim + d, column(coordinates, d)});
}

bool are_neighbours(const std::vector<ListedIndex>& tensors) {
  for (size_t k = 1; k < tensors.size(); ++k)
    if (tensors[k].dim != tensors[k - 1].dim + 1) return false;
  return true;
}

bool is_indexed(const std::vector<ListedIndex>& tensors, int64_t dim) {
  for (const ListedIndex& index : tensors)
    if (index.dim == dim) return true;
  return false;
}

}  // namespace

AdvancedIndex read_list(const Tensor& self, const IndexList& indices) {
  AdvancedIndex index;
  DimVector broadcast;
  int64_t dim = 0;
  for (const std::optional<Tensor>& entry : indices) {
    if (!entry.has_value() || !entry->defined()) {
      ++dim;
      continue;
    }
    const Tensor tensor = on_device(*entry, self.device(), "indices");
    const size_t known = index.tensors.size();
    if (is_mask(tensor)) {
      append_mask(self, dim, tensor, index.tensors);
      dim += tensor.dim();
    } else {
      check_index_dtype(tensor);
      index.tensors.push_back({dim++, tensor});
    }
    broadcast = at::infer_size_dimvector(broadcast, index.tensors[known].tensor.sizes());
  }
  TORCH_CHECK_INDEX(dim <= self.dim(), "too many indices for a self of ", self.dim(),
                    " dimensions: ", dim);
  // If a gap separates index tensors, their dimensions come first.
  const bool in_place = !index.tensors.empty() && are_neighbours(index.tensors);
  index.block = in_place ? static_cast<size_t>(index.tensors[0].dim) : 0;
  index.block_rank = broadcast.size();
  for (int64_t d = 0; d < self.dim(); ++d)
    if (!is_indexed(index.tensors, d)) index.sizes.push_back(self.size(d));
  index.sizes.insert(index.sizes.begin() + index.block, broadcast.begin(), broadcast.end());
  return index;
}

Indexed index_into(const AdvancedIndex& index, DimVector plain, const Tensor& indexed) {
  const View whole = view(indexed);
  DimVector strides;
  for (int64_t d = 0; d < indexed.dim(); ++d)
    if (!is_indexed(index.tensors, d)) strides.push_back(whole.strides[static_cast<size_t>(d)]);
  strides.insert(strides.begin() + index.block, index.block_rank, 0);

  const IntArrayRef sizes = index.sizes;
  const IntArrayRef block = sizes.slice(index.block, index.block_rank);
  std::vector<IndexOperand> operands;
  for (const ListedIndex& listed : index.tensors) {
    const DimVector within = broadcast_strides(listed.tensor, block);
    DimVector own(sizes.size(), 0);
    std::copy(within.begin(), within.end(), own.begin() + index.block);
    const auto d = static_cast<size_t>(listed.dim);
    operands.push_back({listed.tensor, own, whole.sizes[d], whole.strides[d]});
  }
  return make_indexed(sizes, std::move(plain), std::move(strides), std::move(operands), true);
}

}  // namespace kernels
