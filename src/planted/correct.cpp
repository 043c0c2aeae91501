// Correct kernels that share no loop with the references. No campaign may find anything in them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/put.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <deque>
#include <vector>

#include "strided.h"

namespace planted {
namespace {

using IndexList = c10::List<std::optional<Tensor>>;

void check_range(const Tensor& index, int64_t from, int64_t past) {
  if (index.numel() == 0) return;
  const int64_t least = index.min().item<int64_t>(), most = index.max().item<int64_t>();
  TORCH_CHECK_INDEX(least >= from && most < past, "an index between ", least, " and ", most,
                    " is out of [", from, ", ", past, ")");
}

/// Composed of advanced indexing, which would also accept negative indices: they are refused here.
Tensor index_select_composed(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_index_dtype(index);
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select: the index has more than one dimension");
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1, "index_select: a 0-dim self takes one index");
  const Tensor vector = self.dim() > 0 ? self : self.reshape({1});
  check_range(index, 0, vector.size(dim));
  IndexList indices;
  for (int64_t d = 0; d < dim; ++d) indices.push_back(std::nullopt);
  indices.push_back(index.reshape({-1}));
  const Tensor rows = at::index(vector, indices);
  return self.dim() > 0 ? rows : rows.reshape({});
}

/// Copies whole rows by memcpy. Refuses every self that is not contiguous, by an ordinary error.
Tensor index_select_contiguous_only(const Tensor& self, int64_t dim, const Tensor& index) {
  TORCH_CHECK(self.is_contiguous(), "index_select_contiguous_only: self must be contiguous");
  TORCH_CHECK(self.dim() > 0, "index_select_contiguous_only: self must have a dimension");
  TORCH_CHECK(index.dim() <= 1, "index_select_contiguous_only: index must be a vector");
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_index_dtype(index);
  check_range(index, 0, self.size(dim));

  Position shape(self.sizes());
  shape[dim] = index.numel();
  const Tensor result = at::empty(shape, self.options());
  if (result.numel() == 0) return result;
  const int64_t row_bytes = contiguous_strides(shape)[dim] * self.element_size();
  const Tensor wanted = index.to(at::kLong).contiguous();
  const char* from = static_cast<const char*>(self.const_data_ptr());
  char* to = static_cast<char*>(result.mutable_data_ptr());
  for (int64_t left = result.numel() * self.element_size(); left > 0;
       from += self.size(dim) * row_bytes)
    for (int64_t i = 0; i < index.numel(); ++i, to += row_bytes, left -= row_bytes)
      std::memcpy(to, from + wanted.const_data_ptr<int64_t>()[i] * row_bytes, row_bytes);
  return result;
}

/// One int64 tensor without negatives per dimension of self; undefined if it has no index.
std::vector<Tensor> expand_indices(const Tensor& self, const IndexList& indices) {
  std::vector<Tensor> expanded;
  const auto append = [&](const Tensor& index) {
    TORCH_CHECK_INDEX(static_cast<int64_t>(expanded.size()) < self.dim(),
                      "index_put: too many indices");
    expanded.push_back(index);
  };
  for (const std::optional<Tensor>& entry : indices) {
    const int64_t dim = static_cast<int64_t>(expanded.size());
    if (!entry.has_value() || !entry->defined()) {
      append(Tensor());
    } else if (entry->scalar_type() == at::kBool || entry->scalar_type() == at::kByte) {
      TORCH_CHECK(entry->dim() > 0, "index_put_composed: a mask without dimensions is not taken");
      TORCH_CHECK_INDEX(dim + entry->dim() <= self.dim() &&
                            entry->sizes() == self.sizes().slice(dim, entry->dim()),
                        "index_put: the mask does not match self");
      for (const Tensor& rows : entry->nonzero().unbind(1)) append(rows);
    } else {
      check_index_dtype(*entry);
      TORCH_CHECK_INDEX(dim < self.dim(), "index_put: too many indices");
      check_range(*entry, -self.size(dim), self.size(dim));
      const Tensor wide = entry->to(at::kLong);
      append(at::where(wide < 0, wide + self.size(dim), wide));
    }
  }
  expanded.resize(self.dim());
  return expanded;
}

/// Composed of `put` on a flat contiguous copy, at the row-major number of each written element.
Tensor index_put_composed(const Tensor& self, const IndexList& indices, const Tensor& values,
                          bool accumulate) {
  TORCH_CHECK(self.scalar_type() == values.scalar_type(),
              "index_put: self and values differ in dtype");
  const std::vector<Tensor> expanded = expand_indices(self, indices);
  std::vector<Tensor> given;
  std::vector<int64_t> given_dims, before, after;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (expanded[d].defined()) {
      given.push_back(expanded[d]);
      given_dims.push_back(d);
    } else {
      (given.empty() ? before : after).push_back(d);
    }
  }
  TORCH_CHECK_INDEX(!given.empty(), "index_put: no index is given");
  const bool adjacent = given_dims.back() - given_dims.front() + 1 == int64_t(given.size());
  if (!adjacent) {
    after.insert(after.begin(), before.begin(), before.end());
    before.clear();
  }

  const Position strides = contiguous_strides(Position(self.sizes()));
  Tensor linear = at::zeros({}, self.options().dtype(at::kLong));
  const std::vector<Tensor> together = at::broadcast_tensors(given);
  for (size_t i = 0; i < together.size(); ++i)
    linear = linear + together[i] * strides[given_dims[i]];
  const auto add_dimension = [&](int64_t dim, int64_t trailing) {
    std::vector<int64_t> shape(trailing + 1, 1);
    shape[0] = self.size(dim);
    linear = linear + (at::arange(self.size(dim), linear.options()) * strides[dim]).reshape(shape);
  };
  for (const int64_t dim : after) {
    linear = linear.unsqueeze(-1);
    add_dimension(dim, 0);
  }
  for (size_t i = before.size(); i-- > 0;) {
    linear = linear.unsqueeze(0);
    add_dimension(before[i], linear.dim() - 1);
  }
  const Tensor flat = self.contiguous().reshape({-1});
  return at::put(flat, linear, values.expand(linear.sizes()).contiguous(), accumulate)
      .reshape(self.sizes());
}

/// Forwards to ATen.
Tensor& index_put_forwarded(Tensor& self, const IndexList& indices, const Tensor& values,
                            bool accumulate) {
  return at::index_put_(self, indices, values, accumulate);
}

/// Copies all of self first, for which there may be no memory.
Tensor index_select_of_copy(const Tensor& self, int64_t dim, const Tensor& index) {
  return index_select_composed(self.clone(), dim, index);
}

/// Keeps a record of the last 8,192 calls: memory that grows for long, but is no leak.
Tensor index_select_keeps_record(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::deque<std::vector<int64_t>> record;
  record.emplace_back(8, index.numel());
  if (record.size() > 8192) record.pop_front();
  return index_select_composed(self, dim, index);
}

/// index_add multiplies what it adds by 1, which makes NaN of a part of a complex number whose
/// other part is infinite or NaN.
Tensor scatter_add_as_index_add(const Tensor& self, int64_t dim, const Tensor& index,
                                const Tensor& src) {
  TORCH_CHECK(self.dim() == 1 && index.dim() == 1 && src.dim() == 1, "takes vectors alone");
  TORCH_CHECK(index.scalar_type() == at::kLong, "takes int64 positions alone");
  TORCH_CHECK(index.numel() <= src.numel(), "src has fewer elements than index");
  dim = c10::maybe_wrap_dim(dim, 1);
  check_range(index, 0, self.numel());
  return at::index_add(self, dim, index, src.narrow(0, 0, index.numel()));
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  constexpr const char* kIndexSelect = "(Tensor self, int dim, Tensor index) -> Tensor";
  define(m, "index_select_composed", kIndexSelect, index_select_composed);
  define(m, "index_select_contiguous_only", kIndexSelect, index_select_contiguous_only);
  define(m, "index_select_keeps_record", kIndexSelect, index_select_keeps_record);
  define(m, "index_select_of_copy", kIndexSelect, index_select_of_copy);
  define(m, "scatter_add_as_index_add",
         "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter_add_as_index_add);
  define(m, "index_put_composed",
         "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
         index_put_composed);
  define(m, "index_put_forwarded_",
         "(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)",
         index_put_forwarded);
}

}  // namespace
}  // namespace planted
