#include "run/call/gradient_parts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/signbit.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>

#include "run/call/gradient_call.h"

namespace indexfuzz::gradients {

Tensor zeros(at::IntArrayRef shape, const Tensor& like) {
  return at::zeros(shape, like.options());
}

bool holds_negative_zero(const Tensor& tensor) {
  const Tensor parts = tensor.is_complex() ? at::view_as_real(tensor) : tensor;
  return at::logical_and(parts == 0, at::signbit(parts)).any().item<bool>();
}

void require_exact_in_sums(const Tensor& tensor, bool is_complex) {
  require(!holds_negative_zero(tensor), "-0, which a sum loses");
  require(!is_complex || at::isfinite(tensor).all().item<bool>(),
          "infinities and NaN in sums of complex numbers");
}

Tensor added_to(const Tensor& self, const Tensor& sums) {
  require(!holds_negative_zero(self), "a self that holds -0");
  return at::stack({self, sums}).sum(0);
}

bool are_halves(const Tensor& halves, const Tensor& whole) {
  Tensor is_right = halves * 2 == whole;
  if (whole.is_complex()) {
    if (holds_negative_zero(whole)) return false;
  } else {
    is_right.logical_or_(at::isnan(whole));
  }
  return is_right.all().item<bool>();
}

bool has_duplicates(const Tensor& index, std::int64_t dim, const Tensor& self) {
  const Tensor positions = index.to(at::kLong);
  const Tensor counts = at::zeros(self.sizes(), positions.options())
                            .scatter_add(dim, positions, at::ones_like(positions));
  return (counts > 1).any().item<bool>();
}

bool are_scales_exact(const Tensor& indices, std::int64_t rows) {
  const Tensor counts = at::bincount(indices.reshape({-1}), {}, rows);
  return at::logical_or(counts <= 2, counts == 4).all().item<bool>();
}

std::vector<std::int64_t> selected_sizes(Arguments of_index_select) {
  const Tensor self = of_index_select[0].toTensor();
  auto sizes = self.sizes().vec();
  if (!sizes.empty()) {
    const auto dim = c10::maybe_wrap_dim(of_index_select[1].toInt(), self.dim());
    sizes.at(static_cast<std::size_t>(dim)) = of_index_select[2].toTensor().numel();
  }
  return sizes;
}

bool is_none(const IValue& indices) {
  const auto list = indices.to<Indices>();
  return std::ranges::none_of(list, [](const std::optional<Tensor>& i) { return i.has_value(); });
}

Tensor part_of(const Tensor& src, const Tensor& y) {
  Tensor part = y.numel() == 0 ? zeros(y.sizes(), src) : src;
  for (std::int64_t d = 0; d < part.dim(); ++d)
    part = part.narrow(d, 0, y.dim() == 0 ? 1 : y.size(d));
  return part.reshape(y.sizes());
}

std::int64_t first_slice(const Tensor& self, Arguments arguments) {
  const std::int64_t start = arguments[2].toInt();
  return start < 0 ? start + self.size(arguments[1].toInt()) : start;
}

Tensor both(const Tensor& self, const Tensor& kept, const Tensor& placed) {
  require(!holds_negative_zero(self) && !holds_negative_zero(placed), "-0");
  return at::stack({kept, placed}).sum(0);
}

}  // namespace indexfuzz::gradients
