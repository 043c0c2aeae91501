#pragma once
// Shared by index_select and the index_* operators that write: an index of at most one dimension
// that names slices of self along `dim`. Self is operand 0. A self of rank 0 counts as one slice.

#include "case/limits.h"
#include "ops/definition/operator.h"
#include "ops/families/moves.h"

namespace indexfuzz {

/// Makes `index` name slices of self: of rank 1 at most, empty if self has none, and so few that
/// the named slices together are within the limits.
void fit_slice_index(Dims& index, const Dims& self, int dim, const Limits& limits);

/// `shape` with `count` slices along dim; a shape of rank 0 gets one dimension.
Dims with_slices(Dims shape, int dim, std::int64_t count);

/// Fits the operand `index` as fit_slice_index() does, and gives `source` one slice per index. A
/// self of rank 0 takes a single index, and a source of rank 0.
void fit_slice_source(Case& c, int index, int source, const Limits& limits);

/// Whether self and the index have any element; if not, ATen does not look at the indices.
bool writes_slices(const Case& c, int index);

/// Calls f(element of the named slices, element of self, length) for each run of elements that is
/// contiguous in both, in row-major order of the named slices. Negative indices count from the end.
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
