#include "run/call/forms.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/take_along_dim.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/WrapDimMinimal.h>
#include <torch/library.h>

#include <vector>

namespace indexfuzz {
namespace {

using at::Tensor;
using Indices = c10::List<std::optional<Tensor>>;

Tensor at_least_1d(const Tensor& tensor) {
  return tensor.dim() == 0 ? tensor.reshape({1}) : tensor;
}

/// An index along one dimension, and None for the dimensions before it.
Indices along(int64_t dim, const Tensor& index) {
  Indices indices;
  for (int64_t d = 0; d < dim; ++d) indices.push_back(std::nullopt);
  indices.push_back(index);
  return indices;
}

/// The coordinates of the elements that a gather's index names, one tensor per dimension.
Indices coordinates(int64_t dim, const Tensor& index) {
  Indices indices;
  for (int64_t d = 0; d < index.dim(); ++d) {
    std::vector<int64_t> shape(static_cast<std::size_t>(index.dim()), 1);
    shape[static_cast<std::size_t>(d)] = index.size(d);
    indices.push_back(
        d == dim ? index.to(at::kLong)
                 : at::arange(index.size(d), index.options().dtype(at::kLong)).reshape(shape));
  }
  return indices;
}

/// The part of `tensor` that an index of its rank may name: as large as the index except in `dim`.
Tensor reachable(const Tensor& tensor, int64_t dim, const Tensor& index) {
  Tensor part = tensor;
  for (int64_t d = 0; d < index.dim(); ++d) {
    if (d != dim) part = part.narrow(d, 0, index.size(d));
  }
  return part;
}

Tensor index_select_as_index(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  auto shape = self.sizes().vec();
  if (!shape.empty()) shape[static_cast<std::size_t>(dim)] = index.numel();
  return at::index(at_least_1d(self), along(dim, index.reshape({-1}))).reshape(shape);
}

Tensor index_select_as_gather(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  if (self.dim() == 0) return at::gather(self, 0, index.reshape({}));
  std::vector<int64_t> row(static_cast<std::size_t>(self.dim()), 1);
  auto shape = self.sizes().vec();
  row[static_cast<std::size_t>(dim)] = shape[static_cast<std::size_t>(dim)] = index.numel();
  return at::gather(self, dim, index.reshape(row).expand(shape));
}

Tensor gather_as_index(const Tensor& self, int64_t dim, const Tensor& index, bool) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  if (index.numel() == 0) return at::empty(index.sizes(), self.options());
  const Tensor which = at_least_1d(index);
  return at::index(at_least_1d(self), coordinates(dim, which)).reshape(index.sizes());
}

Tensor gather_as_take_along_dim(const Tensor& self, int64_t dim, const Tensor& index, bool) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  if (index.numel() == 0) return at::empty(index.sizes(), self.options());
  const Tensor which = at_least_1d(index);
  return at::take_along_dim(reachable(at_least_1d(self), dim, which), which.to(at::kLong), dim)
      .reshape(index.sizes());
}

Tensor scatter_add_as_index_put(const Tensor& self, int64_t dim, const Tensor& index,
                                const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  if (index.numel() == 0) return self.clone();
  const Tensor which = at_least_1d(index);
  const Tensor values = reachable(at_least_1d(src), dim, which).narrow(dim, 0, which.size(dim));
  return at::index_put(at_least_1d(self), coordinates(dim, which), values, true)
      .reshape(self.sizes());
}

Tensor index_copy_as_index_put(const Tensor& self, int64_t dim, const Tensor& index,
                               const Tensor& source) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  if (index.numel() == 0) return self.clone();
  auto shape = at_least_1d(self).sizes().vec();
  shape[static_cast<std::size_t>(dim)] = index.numel();
  return at::index_put(at_least_1d(self), along(dim, index.reshape({-1})), source.reshape(shape))
      .reshape(self.sizes());
}

Tensor index_fill_as_masked_fill(const Tensor& self, int64_t dim, const Tensor& index,
                                 const at::Scalar& value) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  const Tensor vector = at_least_1d(self);
  const Tensor row = at::zeros({vector.size(dim)}, self.options().dtype(at::kBool));
  std::vector<int64_t> shape(static_cast<std::size_t>(vector.dim()), 1);
  shape[static_cast<std::size_t>(dim)] = vector.size(dim);
  const Tensor chosen =
      at::index_put(row, along(0, index.reshape({-1})), at::full({}, true, row.options()));
  return at::masked_fill(vector, chosen.reshape(shape), value).reshape(self.sizes());
}

Tensor masked_fill_as_where(const Tensor& self, const Tensor& mask, const at::Scalar& value) {
  return at::where(mask, at::full({}, value, self.options()), self);
}

Tensor masked_fill_as_index_put(const Tensor& self, const Tensor& mask, const at::Scalar& value) {
  const auto shape = at::infer_size(self.sizes(), mask.sizes());
  const Tensor whole = self.expand(shape).contiguous().reshape({-1});
  return at::index_put(whole, along(0, mask.expand(shape).reshape({-1})),
                       at::full({}, value, self.options()))
      .reshape(shape);
}

Tensor masked_select_as_index(const Tensor& self, const Tensor& mask) {
  const auto shape = at::infer_size(self.sizes(), mask.sizes());
  return at::index(self.expand(shape).reshape({-1}), along(0, mask.expand(shape).reshape({-1})));
}

Tensor masked_scatter_as_index_put(const Tensor& self, const Tensor& mask, const Tensor& source) {
  const auto shape = at::infer_size(self.sizes(), mask.sizes());
  const Tensor whole = mask.expand(shape).reshape({-1});
  const int64_t count = whole.sum().item<int64_t>();
  return at::index_put(self.expand(shape).contiguous().reshape({-1}), along(0, whole),
                       source.reshape({-1}).narrow(0, 0, count))
      .reshape(shape);
}

Tensor take_as_index(const Tensor& self, const Tensor& index) {
  if (index.numel() == 0) return at::empty(index.sizes(), self.options());
  return at::index(self.reshape({-1}), along(0, index));
}

Tensor nonzero_as_where(const Tensor& self) {
  const std::vector<Tensor> positions = at::where(at_least_1d(self));
  const Tensor table = at::stack(positions, 1);
  return self.dim() == 0 ? table.narrow(1, 0, 0).clone() : table;
}

Tensor index_put_with_positive_indices(const Tensor& self, const Indices& indices,
                                       const Tensor& values, bool accumulate) {
  Indices positive;
  int64_t dim = 0;
  bool gaps_alone = true;
  for (const std::optional<Tensor>& entry : indices) {
    gaps_alone &= !entry.has_value();
    const bool is_mask =
        entry && (entry->scalar_type() == at::kBool || entry->scalar_type() == at::kByte);
    if (!entry || is_mask) {
      positive.push_back(entry);
      dim += is_mask ? entry->dim() : 1;
    } else {
      positive.push_back(at::where(*entry < 0, *entry + self.size(dim), *entry));
      ++dim;
    }
  }
  // Gaps alone, of which ATen makes nothing, name all rows.
  if (gaps_alone) positive.set(0, at::arange(self.size(0), self.options().dtype(at::kLong)));
  return at::index_put(self, positive, values, accumulate);
}

TORCH_LIBRARY(indexfuzz_form, m) {
  m.def("index_select_as_index(Tensor self, int dim, Tensor index) -> Tensor",
        index_select_as_index);
  m.def("index_select_as_gather(Tensor self, int dim, Tensor index) -> Tensor",
        index_select_as_gather);
  m.def("gather_as_index(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
        gather_as_index);
  m.def(
      "gather_as_take_along_dim(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> "
      "Tensor",
      gather_as_take_along_dim);
  m.def("scatter_add_as_index_put(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
        scatter_add_as_index_put);
  m.def("index_copy_as_index_put(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
        index_copy_as_index_put);
  m.def("index_fill_as_masked_fill(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
        index_fill_as_masked_fill);
  m.def("masked_fill_as_where(Tensor self, Tensor mask, Scalar value) -> Tensor",
        masked_fill_as_where);
  m.def("masked_fill_as_index_put(Tensor self, Tensor mask, Scalar value) -> Tensor",
        masked_fill_as_index_put);
  m.def("masked_select_as_index(Tensor self, Tensor mask) -> Tensor", masked_select_as_index);
  m.def("masked_scatter_as_index_put(Tensor self, Tensor mask, Tensor source) -> Tensor",
        masked_scatter_as_index_put);
  m.def("take_as_index(Tensor self, Tensor index) -> Tensor", take_as_index);
  m.def("nonzero_as_where(Tensor self) -> Tensor", nonzero_as_where);
  m.def(
      "index_put_with_positive_indices(Tensor self, Tensor?[] indices, Tensor values, bool "
      "accumulate=False) -> Tensor",
      index_put_with_positive_indices);
}

constexpr CompositeForm kForms[] = {
    {"gather_as_index", "gather",
     "{self}.reshape({self}.shape or (1,))[tuple({index}.reshape({index}.shape or (1,)) if d == "
     "{dim} % max({self}.dim(), 1) else torch.arange(n).reshape([-1] + [1] * (max({index}.dim(), "
     "1) - 1 - d)) for d, n in enumerate({index}.shape or (1,)))].reshape({index}.shape)"},
    {"gather_as_take_along_dim", "gather",
     "torch.take_along_dim({self}.reshape({self}.shape or (1,))[tuple(slice(None) if d == {dim} % "
     "max({self}.dim(), 1) else slice(n) for d, n in enumerate({index}.shape or (1,)))], "
     "{index}.long().reshape({index}.shape or (1,)), {dim}).reshape({index}.shape)"},
    {"index_copy_as_index_put", "index_copy",
     "{self}.reshape({self}.shape or (1,)).index_put((None,) * ({dim} % max({self}.dim(), 1)) + "
     "({index}.reshape(-1),), {source}.reshape([{index}.numel() if d == {dim} % max({self}.dim(), "
     "1) else n for d, n in enumerate({self}.shape or (1,))])).reshape({self}.shape)"},
    {"index_fill_as_masked_fill", "index_fill",
     "{self}.reshape({self}.shape or (1,)).transpose(0, {dim}).masked_fill(torch.zeros(({self}"
     ".shape or (1,))[{dim}], dtype=torch.bool).index_put(({index}.reshape(-1),), "
     "torch.tensor(True)).reshape([-1] + [1] * (max({self}.dim(), 1) - 1)), {value}).transpose(0, "
     "{dim}).reshape({self}.shape)"},
    {"index_put_with_positive_indices", "index_put",
     "torch.ops.aten.index_put({self}, {indices}, {values}, {accumulate})"},
    {"index_select_as_gather", "index_select",
     "torch.gather({self}, {dim}, {index}.reshape([-1 if d == {dim} % max({self}.dim(), 1) else 1 "
     "for d in range({self}.dim())]).expand([{index}.numel() if d == {dim} % max({self}.dim(), 1) "
     "else n for d, n in enumerate({self}.shape)]))"},
    {"index_select_as_index", "index_select",
     "{self}.reshape({self}.shape or (1,))[(slice(None),) * ({dim} % max({self}.dim(), 1)) + "
     "({index}.reshape(-1),)].reshape([{index}.numel() if d == {dim} % max({self}.dim(), 1) else n "
     "for d, n in enumerate({self}.shape)])"},
    {"masked_fill_as_index_put", "masked_fill",
     "torch.broadcast_tensors({self}, {mask})[0].clone().index_put((torch.broadcast_tensors({self}"
     ", {mask})[1],), torch.full((), {value}, dtype={self}.dtype))"},
    {"masked_fill_as_where", "masked_fill",
     "torch.where({mask}, torch.full((), {value}, dtype={self}.dtype), {self})"},
    {"masked_scatter_as_index_put", "masked_scatter",
     "torch.broadcast_tensors({self}, {mask})[0].clone().index_put((torch.broadcast_tensors({self}"
     ", {mask})[1],), "
     "{source}.reshape(-1)[:int(torch.broadcast_tensors({self}, {mask})[1].sum())])"},
    {"masked_select_as_index", "masked_select",
     "torch.broadcast_tensors({self}, {mask})[0][torch.broadcast_tensors({self}, "
     "{mask})[1]].reshape(-1)"},
    {"nonzero_as_where", "nonzero",
     "torch.stack(torch.where({self}.reshape({self}.shape or (1,))), 1)[:, :{self}.dim()]"},
    {"scatter_add_as_index_put", "scatter_add",
     "{self}.reshape({self}.shape or (1,)).index_put(tuple({index}.reshape({index}.shape or (1,)) "
     "if d == {dim} % max({self}.dim(), 1) else torch.arange(n).reshape([-1] + [1] * "
     "(max({index}.dim(), 1) - 1 - d)) for d, n in enumerate({index}.shape or (1,))), "
     "{src}.reshape({src}.shape or (1,))[tuple(slice(n) for n in {index}.shape or (1,))], "
     "True).reshape({self}.shape)"},
    {"take_as_index", "take", "{self}.reshape(-1)[{index}]"},
};

}  // namespace

std::span<const CompositeForm> composite_forms() {
  return kForms;
}

}  // namespace indexfuzz
