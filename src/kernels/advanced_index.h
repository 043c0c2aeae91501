#pragma once
// Lists of index tensors, masks and gaps, for index and index_put. The rules:
// https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing, which PyTorch follows.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "geometry.h"

namespace kernels {

using IndexList = c10::List<std::optional<Tensor>>;

/// An index tensor and the dimension of self that it indexes. A mask becomes one of these for each
/// of its dimensions: the coordinates of its set elements.
struct ListedIndex {
  int64_t dim;
  Tensor tensor;
};

/// An index list, read for a self of a given shape.
struct AdvancedIndex {
  std::vector<ListedIndex> tensors;  ///< all on self's device; empty for a list of gaps alone
  DimVector sizes;                   ///< of the selected elements
  size_t block;                      ///< the first dimension of `sizes` that comes from `tensors`
  size_t block_rank;                 ///< how many dimensions come from them
};

/// Throws if the list does not fit self's shape. The positions are checked later: make_indexed().
AdvancedIndex read_list(const Tensor& self, const IndexList& indices);

/// The walk over the selected elements of `indexed`, which has self's shape. `plain`: the byte
/// strides, along index.sizes, of the operand that is walked with it.
Indexed index_into(const AdvancedIndex& index, DimVector plain, const Tensor& indexed);

}  // namespace kernels
