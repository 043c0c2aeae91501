#pragma once
// What index_select, index_fill, index_copy and index_add share: an index of at most one dimension
// that names slices of self along `dim`. Self is operand 0. A self of rank 0 counts as one slice.

#include "case/limits.h"
#include "ops/moves.h"
#include "ops/operator.h"
#include "ops/repair.h"

namespace indexfuzz {

/// Makes `index` name slices of self: empty where self has none, and no more of them than fit
/// together within the limits.
void fit_slice_index(Dims& index, const Dims& self, int dim, const Limits& limits);

/// The shape of `count` slices along dim; of a shape of rank 0, one dimension.
Dims with_slices(Dims shape, int dim, std::int64_t count);

/// Fits the operand `index`, and makes `source` as many slices as it has elements; a self of rank 0
/// takes one index, and a source of rank 0.
void fit_slice_source(Case& c, int index, int source, const Limits& limits);

/// Self with this index has an element to write: ATen looks at indices only then.
bool writes_slices(const Case& c, int index);

// Illegal rules.

/// The source has one slice more or less than there are indices; false where it has no
/// dimension.
bool change_slice_count(Case& c, int source, int dim);
/// The source's slices take another shape than self's; false where they have no dimension.
bool change_slice_shape(Case& c, int source, int dim);

/// Calls f(element of the named slices, element of self, length) for each run of elements that is
/// contiguous in both, as the index names them. Negative indices count from the end.
template <typename F>
void for_each_slice_run(const Dims& self, int dim, const IndexReader& index, F&& f) {
  std::int64_t outer = 1, inner = 1;
  for (int d = 0; d < dim; ++d) outer *= size_at(self, d);
  for (int d = dim + 1; d < rank(self); ++d) inner *= size_at(self, d);
  const std::int64_t slices = size_at(self, dim);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < index.count(); ++i) {
      const std::int64_t slice = index[i] < 0 ? index[i] + slices : index[i];
      f((o * index.count() + i) * inner, (o * slices + slice) * inner, inner);
    }
  }
}

}  // namespace indexfuzz
