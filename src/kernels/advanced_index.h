#pragma once
// Lists of index tensors, masks and gaps, for index and index_put.
// https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing, which PyTorch follows.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "geometry.h"

namespace kernels {

using IndexList = c10::List<std::optional<Tensor>>;

/// Every index tensor with the dimension of self that it indexes; masks as the coordinates of what
/// they select.
struct ListedIndex {
  int64_t dim;
  Tensor tensor;
};

/// What a list selects of a self of some shape.
struct AdvancedIndex {
  std::vector<ListedIndex> tensors;  ///< all on self's device; at least one
  DimVector sizes;                   ///< of the selected elements
  size_t block;                      ///< where the dimensions of the index tensors stand in `sizes`
  size_t block_rank;
};

/// Refuses what does not fit self; positions themselves are checked by `index_into`.
AdvancedIndex read_list(const Tensor& self, const IndexList& indices);

/// Walks the selected elements. `plain`: the byte strides of the operand walked with them;
/// `indexed`: an operand of self's shape.
Indexed index_into(const AdvancedIndex& index, DimVector plain, const Tensor& indexed);

}  // namespace kernels
