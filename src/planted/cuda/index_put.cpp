#include "index_put.h"

#include <ATen/Context.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/full.h>
#include <ATen/ops/nonzero.h>

#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = IndexPut;
using IndexList = c10::List<std::optional<Tensor>>;

/// One int64 tensor per dimension of self, undefined for a dimension that has no index. A mask of
/// rank k gives k of them.
std::vector<Tensor> expand_indices(const Tensor& self, const IndexList& indices) {
  std::vector<Tensor> expanded;
  for (const std::optional<Tensor>& entry : indices) {
    const auto dim = static_cast<int64_t>(expanded.size());
    if (!entry.has_value() || !entry->defined()) {
      expanded.emplace_back();
      continue;
    }
    check_device(self, *entry);
    if (entry->scalar_type() == at::kBool || entry->scalar_type() == at::kByte) {
      TORCH_CHECK(entry->dim() > 0, "index_put: a mask without dimensions is not taken");
      TORCH_CHECK_INDEX(dim + entry->dim() <= self.dim() &&
                            entry->sizes() == self.sizes().slice(dim, entry->dim()),
                        "index_put: a mask of shape ", entry->sizes(), " does not match self");
      for (const Tensor& rows : at::nonzero(*entry).unbind(1)) expanded.push_back(rows);
    } else {
      check_index_dtype(*entry);
      expanded.push_back(entry->to(at::kLong));
    }
  }
  TORCH_CHECK_INDEX(static_cast<int64_t>(expanded.size()) <= self.dim(),
                    "index_put: too many indices");
  expanded.resize(self.dim());
  return expanded;
}

/// What an index list selects. The views of an IndexPutCall point into it.
struct Selection {
  std::vector<Tensor> rows;   ///< as expand_indices gives them
  at::DimVector index_shape;  ///< of the indices, broadcast together
  at::DimVector shape;        ///< of what they select
  int block = 0;              ///< where index_shape begins in `shape`
};

Selection select(const Tensor& self, const IndexList& indices) {
  Selection selection;
  selection.rows = expand_indices(self, indices);
  int64_t first = -1, last = -1, given = 0;
  at::DimVector around;
  for (int64_t d = 0; d < self.dim(); ++d) {
    const Tensor& rows = selection.rows[d];
    if (!rows.defined()) {
      around.push_back(self.size(d));
      continue;
    }
    selection.index_shape = given == 0
                                ? at::DimVector(rows.sizes())
                                : at::infer_size_dimvector(selection.index_shape, rows.sizes());
    if (given++ == 0) first = d;
    last = d;
  }
  TORCH_CHECK_INDEX(given > 0, "index_put: no index is given");
  // If a dimension without an index separates indexed ones, the dimensions of the list come first.
  selection.block = last - first + 1 == given ? static_cast<int>(first) : 0;
  selection.shape.append(around.begin(), around.begin() + selection.block);
  selection.shape.append(selection.index_shape.begin(), selection.index_shape.end());
  selection.shape.append(around.begin() + selection.block, around.end());
  return selection;
}

void check_legal(const Tensor& written, const IndexList& indices, const Tensor& values) {
  TORCH_CHECK(written.scalar_type() == values.scalar_type(), "index_put: self is ",
              written.scalar_type(), ", values ", values.scalar_type());
  check_device(written, values);
  check_written(written, {&values});
  for (const std::optional<Tensor>& index : indices)
    if (index.has_value() && index->defined()) at::assert_no_overlap(written, *index);
}

/// Writes the values into `result`, which holds self.
void put(Make make, const Tensor& result, const IndexList& indices, const Tensor& values,
         bool accumulate) {
  const Selection selection = select(result, indices);
  if (accumulate) check_dtype("index_put with accumulate", result);
  const Tensor expanded = values.expand(selection.shape);
  if (make == Make::kValuesByIndexShape && at::globalContext().deterministicAlgorithms()) {
    // The defect: the deterministic path expands the values to the shape of the indices alone.
    const bool fits = at::is_expandable_to(values.sizes(), selection.index_shape);
    const int64_t count = fits ? c10::multiply_integers(selection.index_shape) : values.numel();
    TORCH_INTERNAL_ASSERT(count == expanded.numel(),
                          "number of indices and values differ: ", expanded.numel(), " vs ", count);
  }
  IndexPutCall call{};
  call.to = view_of(result);
  call.from = view_of(expanded);
  call.shape = shape_of(selection.shape);
  for (size_t d = 0; d < selection.rows.size(); ++d)
    if (selection.rows[d].defined()) call.rows[d] = view_of(selection.rows[d]);
  call.block = selection.block;
  call.block_rank = static_cast<int>(selection.index_shape.size());
  call.accumulate = accumulate;
  call.dtype = result.scalar_type();
  Tensor winners;
  if (make == Make::kFirstWins)
    winners = at::full(result.sizes(), -1, result.options().dtype(at::kLong));
  launch_index_put(make, call, winners.defined() ? winners.mutable_data_ptr<int64_t>() : nullptr,
                   current_stream());
  check_launch();
}

template <Make kMake>
Tensor index_put(const Tensor& self, const IndexList& indices, const Tensor& values,
                 bool accumulate) {
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor result = self.clone(at::MemoryFormat::Contiguous);
  check_legal(result, indices, values);
  put(kMake, result, indices, values, accumulate);
  return result;
}

template <Make kMake>
Tensor& index_put_in_place(Tensor& self, const IndexList& indices, const Tensor& values,
                           bool accumulate) {
  const c10::cuda::CUDAGuard guard(self.device());
  check_legal(self, indices, values);
  put(kMake, self, indices, values, accumulate);
  return self;
}

constexpr const char* kFunctional =
    "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "index_put_not_atomic", kFunctional, index_put<Make::kNotAtomic>);
  define(m, "index_put_values_by_index_shape_", kInPlace,
         index_put_in_place<Make::kValuesByIndexShape>);
  define(m, "index_put_tail_dropped", kFunctional, index_put<Make::kTailDropped>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "index_put_strided", kFunctional, index_put<Make::kReference>);
  define(m, "index_put_strided_", kInPlace, index_put_in_place<Make::kReference>);
  define(m, "index_put_first_wins", kFunctional, index_put<Make::kFirstWins>);
}

}  // namespace
}  // namespace planted_cuda
