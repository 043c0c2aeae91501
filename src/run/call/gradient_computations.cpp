#include "run/call/gradient_computations.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/diagonal_scatter.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_fill.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/select_scatter.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <c10/core/WrapDimMinimal.h>

#include "run/call/gradient_call.h"
#include "run/call/gradient_parts.h"

namespace indexfuzz::gradients {
namespace {

constexpr const char* kScaled = "scale_grad_by_freq";

}  // namespace

// Operators that add or place elements, by the gradients of those that select them. The operand
// that is selected from has self's layout.

Tensor scatter_add(const Plan& gather, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), index = arguments[2].toTensor(),
               src = arguments[3].toTensor(), x = self.detach();
  return added_to(
      self, gradient(gather, x,
                     {{"self", x}, {"dim", arguments[1]}, {"index", index}, {"sparse_grad", false}},
                     [&](const Tensor& y) { return part_of(src, y); }));
}

Tensor scatter_add_by_taking(const Plan& take_along_dim, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), index = arguments[2].toTensor(),
               src = arguments[3].toTensor(), x = self.detach();
  require(self.dim() > 0 && index.dim() == self.dim(), "tensors of rank 0");
  require(index.scalar_type() == at::kLong, "indices of int32");
  const std::int64_t dim = c10::maybe_wrap_dim(arguments[1].toInt(), self.dim());
  for (std::int64_t d = 0; d < self.dim(); ++d)
    require(d == dim || index.size(d) == self.size(d), "indices for a part of self");
  return added_to(self, gradient(take_along_dim, x, {{"self", x}, {"indices", index}, {"dim", dim}},
                                 [&](const Tensor& y) { return part_of(src, y); }));
}

Tensor index_add(const Plan& index_select, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), source = arguments[3].toTensor(), x = self.detach();
  const at::Scalar alpha = arguments[4].toScalar();
  return added_to(
      self, gradient(index_select, x, {{"self", x}, {"dim", arguments[1]}, {"index", arguments[2]}},
                     alpha.equal(1) ? source : source * alpha));
}

Tensor index_put(const Plan& index, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), values = arguments[2].toTensor(), x = self.detach();
  require(arguments[3].toBool(), "accumulate=False");
  require(!is_none(arguments[1]), "indices of None alone");
  return added_to(
      self, gradient(index, x, {{"self", x}, {"indices", arguments[1]}},
                     [&](const Tensor& y) { return values.to(y.device()).expand(y.sizes()); }));
}

Tensor put(const Plan& take, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), x = self.detach();
  require(arguments[3].toBool(), "accumulate=False");
  return added_to(
      self, gradient(take, x, {{"self", x}, {"index", arguments[1]}}, arguments[2].toTensor()));
}

Tensor embedding_dense_backward(const Plan& embedding, Arguments arguments) {
  const Tensor grad = arguments[0].toTensor();
  const Tensor x = zeros({arguments[2].toInt(), grad.size(-1)}, grad);
  return gradient(embedding, x,
                  {{"weight", x},
                   {"indices", arguments[1]},
                   {"padding_idx", arguments[3]},
                   {"scale_grad_by_freq", arguments[4]},
                   {"sparse", false}},
                  grad);
}

/// Each index has a bag to itself, of which the sum, the mean and the maximum are the same.
Tensor embedding_dense_backward_by_bags(const Plan& embedding_bag, Arguments arguments) {
  const Tensor grad = arguments[0].toTensor(), indices = arguments[1].toTensor();
  const std::int64_t rows = arguments[2].toInt(), padding = arguments[3].toInt();
  const bool is_scaled = arguments[4].toBool();
  if (is_scaled) {
    require(rows % 3 != 2, "scaled maxima");
    require(embedding_bag.handle->schema().argumentIndexWithName(kScaled).has_value(),
            "a schema without scale_grad_by_freq");
    require(are_scales_exact(indices, rows), "scales that round");
  }
  require(!grad.is_complex() && grad.element_size() > 1, "complex and 8-bit numbers");
  const Tensor x = zeros({rows, grad.size(-1)}, grad);
  return gradient(embedding_bag, x,
                  {{"weight", x},
                   {"indices", indices.reshape({-1})},
                   {"offsets", at::arange(indices.numel(), indices.options())},
                   {kScaled, is_scaled},
                   {"mode", rows % 3},
                   {"sparse", false},
                   {"include_last_offset", false},
                   {"padding_idx", padding < 0 ? IValue() : IValue(padding)}},
                  grad);
}

Tensor masked_scatter(const Plan& masked_select, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), mask = arguments[1].toTensor(),
               source = arguments[2].toTensor();
  const Tensor x = self.detach().expand(at::infer_size(self.sizes(), mask.sizes()));
  const Tensor placed =
      gradient(masked_select, x, {{"self", x}, {"mask", mask}},
               [&](const Tensor& y) { return source.reshape({-1}).narrow(0, 0, y.numel()); });
  return at::where(mask, placed, x.detach());
}

Tensor padding_backward(const Plan& pad, Arguments arguments) {
  const Tensor x = arguments[1].toTensor().detach();
  return gradient(pad, x, {{"self", x}, {"padding", arguments[2]}}, arguments[0].toTensor());
}

// Operators that select elements, by the gradients of those that add or place them. The gradient of
// the result has self's layout.

Tensor gather(const Plan& scatter_add, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), index = arguments[2].toTensor(),
               x = zeros(index.sizes(), self);
  return gradient(
      scatter_add, x,
      {{"self", zeros(self.sizes(), self)}, {"dim", arguments[1]}, {"index", index}, {"src", x}},
      self);
}

Tensor index_select(const Plan& index_add, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), index = arguments[2].toTensor();
  // An alpha of 1 may have a path of its own.
  const bool is_scaled = self.dim() % 2 == 0;
  const at::Scalar alpha = !is_scaled          ? at::Scalar(1)
                           : self.is_complex() ? at::Scalar(c10::complex<double>(0, 2))
                                               : at::Scalar(2);
  // The gradient is multiplied by the conjugate of alpha.
  Tensor grad = is_scaled ? self / 2 : self;
  require(!is_scaled || are_halves(grad, self), "a self that cannot be halved exactly");
  if (is_scaled && self.is_complex()) {
    require((at::view_as_real(self) != 0).all().item<bool>(), "complex numbers with a part of 0");
    grad = grad * c10::complex<double>(0, 1);
  }
  const Tensor x = zeros(selected_sizes(arguments), self);
  return gradient(index_add, x,
                  {{"self", zeros(self.sizes(), self)},
                   {"dim", arguments[1]},
                   {"index", index},
                   {"source", x},
                   {"alpha", alpha}},
                  grad);
}

Tensor index_select_by_reduction(const Plan& index_reduce, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), index = arguments[2].toTensor();
  require(!self.is_complex(), "reductions of complex numbers");
  // Products of ones, and means and maxima of one slice each, have the same gradient as sums. What
  // is wrong with maxima alone shows for negative dims alone.
  const std::int64_t kind = arguments[1].toInt() < 0 ? 2 : self.dim() % 2;
  require(kind == 0 || index.numel() == 0 ||
              at::bincount(index.reshape({-1})).max().item<std::int64_t>() == 1,
          "means and maxima of several slices");
  const Tensor x = at::ones(selected_sizes(arguments), self.options());
  return gradient(index_reduce, x,
                  {{"self", at::ones(self.sizes(), self.options())},
                   {"dim", arguments[1]},
                   {"index", index},
                   {"source", x},
                   {"reduce", kind == 0   ? "prod"
                              : kind == 1 ? "mean"
                                          : "amax"},
                   {"include_self", kind == 0}},
                  self);
}

Tensor index(const Plan& index_put, Arguments arguments) {
  const Tensor self = arguments[0].toTensor();
  require(!is_none(arguments[1]), "indices of None alone");
  const Tensor x = zeros(at::index(self, arguments[1].to<Indices>()).sizes(), self);
  return gradient(index_put, x,
                  {{"self", zeros(self.sizes(), self)},
                   {"indices", arguments[1]},
                   {"values", x},
                   {"accumulate", true}},
                  self);
}

Tensor take(const Plan& put, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), x = zeros(arguments[1].toTensor().sizes(), self);
  return gradient(put, x,
                  {{"self", zeros(self.sizes(), self)},
                   {"index", arguments[1]},
                   {"source", x},
                   {"accumulate", true}},
                  self);
}

Tensor masked_select(const Plan& masked_scatter, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), mask = arguments[1].toTensor();
  const auto shape = at::infer_size(self.sizes(), mask.sizes());
  const Tensor x = zeros({mask.expand(shape).sum().item<std::int64_t>()}, self);
  return gradient(masked_scatter, x, {{"self", zeros(shape, self)}, {"mask", mask}, {"source", x}},
                  self.expand(shape));
}

Tensor gather_by_reduction(const Plan& scatter_reduce, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), index = arguments[2].toTensor();
  // A product of ones has the same gradient as a sum, and so has a maximum of one element each, if
  // self is left out. What is wrong with maxima alone shows for negative dims alone.
  const bool is_maximum = arguments[1].toInt() < 0;
  const std::int64_t base = is_maximum ? 0 : index.dim() % 2;
  require((base == 0 && !is_maximum) || !self.is_complex(),
          "products or maxima of complex numbers");
  require(!is_maximum || !has_duplicates(index, arguments[1].toInt(), self),
          "maxima of several elements");
  const Tensor x = at::full(index.sizes(), base, self.options());
  return gradient(scatter_reduce, x,
                  {{"self", at::full(self.sizes(), base, self.options())},
                   {"dim", arguments[1]},
                   {"index", index},
                   {"src", x},
                   {"reduce", base == 1    ? "prod"
                              : is_maximum ? "amax"
                                           : "sum"},
                   {"include_self", !is_maximum}},
                  self);
}

Tensor narrow_copy_by_cat(const Plan& cat, Arguments arguments) {
  const Tensor self = arguments[0].toTensor();
  const std::int64_t dim = arguments[1].toInt(), first = first_slice(self, arguments),
                     length = arguments[3].toInt();
  c10::List<Tensor> parts;
  for (const Tensor& part :
       self.split_with_sizes({first, length, self.size(dim) - first - length}, dim))
    parts.push_back(zeros(part.sizes(), self));
  return gradient(cat, parts.get(1), {{"tensors", parts}, {"dim", dim}}, self);
}

Tensor narrow_copy_by_slice_scatter(const Plan& slice_scatter, Arguments arguments) {
  const Tensor self = arguments[0].toTensor();
  const std::int64_t dim = arguments[1].toInt(), first = first_slice(self, arguments),
                     length = arguments[3].toInt();
  const Tensor x = zeros(self.narrow(dim, first, length).sizes(), self);
  return gradient(slice_scatter, x,
                  {{"self", zeros(self.sizes(), self)},
                   {"src", x},
                   {"dim", dim},
                   {"start", first},
                   {"end", first + length},
                   {"step", 1}},
                  self);
}

// Operators that replace elements of self: see both().

bool has_odd_rank(Arguments arguments) {
  return arguments[0].toTensor().dim() % 2 == 1;
}

bool has_even_rank(Arguments arguments) {
  return !has_odd_rank(arguments);
}

Tensor as_strided_scatter(const Plan& as_strided_scatter, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), src = arguments[1].toTensor(),
               x = zeros(self.sizes(), self);
  return both(
      self,
      gradient(as_strided_scatter, x,
               {{"self", x},
                {"src", src},
                {"size", arguments[2]},
                {"stride", arguments[3]},
                {"storage_offset", arguments[4]}},
               self),
      at::as_strided_scatter(zeros(self.sizes(), self), src, arguments[2].toIntVector(),
                             arguments[3].toIntVector(), arguments[4].toOptional<std::int64_t>()));
}

Tensor diagonal_scatter(const Plan& diagonal_scatter, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), src = arguments[1].toTensor(),
               x = zeros(self.sizes(), self);
  return both(self,
              gradient(diagonal_scatter, x,
                       {{"self", x},
                        {"src", src},
                        {"offset", arguments[2]},
                        {"dim1", arguments[3]},
                        {"dim2", arguments[4]}},
                       self),
              at::diagonal_scatter(zeros(self.sizes(), self), src, arguments[2].toInt(),
                                   arguments[3].toInt(), arguments[4].toInt()));
}

Tensor index_fill(const Plan& index_fill, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), index = arguments[2].toTensor(),
               x = zeros(self.sizes(), self);
  return both(
      self,
      gradient(index_fill, x,
               {{"self", x}, {"dim", arguments[1]}, {"index", index}, {"value", arguments[3]}},
               self),
      at::index_fill(zeros(self.sizes(), self), arguments[1].toInt(), index,
                     arguments[3].toScalar()));
}

Tensor masked_fill(const Plan& masked_fill, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), mask = arguments[1].toTensor();
  const auto shape = at::infer_size(self.sizes(), mask.sizes());
  const Tensor x = zeros(shape, self);
  return both(self,
              gradient(masked_fill, x, {{"self", x}, {"mask", mask}, {"value", arguments[2]}},
                       self.expand(shape)),
              at::masked_fill(zeros(shape, self), mask, arguments[2].toScalar()));
}

bool masked_fill_broadcasts(Arguments arguments) {
  const Tensor self = arguments[0].toTensor();
  return self.sizes() != at::infer_size(self.sizes(), arguments[1].toTensor().sizes());
}

Tensor select_scatter(const Plan& select_scatter, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), src = arguments[1].toTensor(),
               x = zeros(self.sizes(), self);
  return both(
      self,
      gradient(select_scatter, x,
               {{"self", x}, {"src", src}, {"dim", arguments[2]}, {"index", arguments[3]}}, self),
      at::select_scatter(zeros(self.sizes(), self), src, arguments[2].toInt(),
                         arguments[3].toInt()));
}

Tensor where(const Plan& where, Arguments arguments) {
  const Tensor condition = arguments[0].toTensor(), self = arguments[1].toTensor(),
               other = arguments[2].toTensor();
  require(self.scalar_type() == other.scalar_type(), "two dtypes");
  const auto shape = at::infer_size(at::infer_size(condition.sizes(), self.sizes()), other.sizes());
  const Tensor x = zeros(shape, self), none = zeros(shape, self);
  // The gradient of one of the two, the other as it is.
  const bool of_other = condition.dim() % 2 == 1;
  return both(
      of_other ? other : self,
      gradient(
          where, x,
          {{"condition", condition}, {"self", of_other ? none : x}, {"other", of_other ? x : none}},
          (of_other ? other : self).expand(shape)),
      at::where(condition.to(at::kBool), of_other ? self : none, of_other ? none : other));
}

bool where_broadcasts(Arguments arguments) {
  const Tensor condition = arguments[0].toTensor(), self = arguments[1].toTensor(),
               other = arguments[2].toTensor();
  return self.scalar_type() == other.scalar_type() &&
         (self.sizes() != other.sizes() || self.numel() < condition.numel());
}

// Operators whose gradient is the same operator again.

Tensor flip(const Plan& flip, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), x = zeros(self.sizes(), self);
  return gradient(flip, x, {{"self", x}, {"dims", arguments[1]}}, self);
}

Tensor roll(const Plan& roll, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), x = zeros(self.sizes(), self);
  auto shifts = arguments[1].toIntVector();
  for (std::int64_t& shift : shifts) {
    require(shift <= std::int64_t{1} << 62, "a shift whose opposite no list of integers holds");
    shift = -shift;
  }
  return gradient(roll, x, {{"self", x}, {"shifts", shifts}, {"dims", arguments[2]}}, self);
}

Tensor triangle(const Plan& triangle, Arguments arguments) {
  const Tensor self = arguments[0].toTensor(), x = zeros(self.sizes(), self);
  return gradient(triangle, x, {{"self", x}, {"diagonal", arguments[1]}}, self);
}

}  // namespace indexfuzz::gradients
