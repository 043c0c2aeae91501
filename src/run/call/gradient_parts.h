#pragma once
// What the computations of gradients (gradient_computations.h) share: checks that sums are exact,
// and results put together from a gradient and a constant part. `require`: see gradient_call.h.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace indexfuzz::gradients {

using at::Tensor;
using c10::IValue;
using Arguments = std::span<const IValue>;
using Indices = c10::List<std::optional<Tensor>>;

/// Zeros of this shape, with the dtype and the device of `like`.
Tensor zeros(at::IntArrayRef shape, const Tensor& like);

/// Whether a number, or a part of a complex one, is -0.
bool holds_negative_zero(const Tensor& tensor);

/// Throws as require() does if the tensor holds numbers that adding 0 changes: -0 and, if the sum
/// is one of complex numbers, infinities and NaN, which spread to the other part.
void require_exact_in_sums(const Tensor& tensor, bool is_complex);

/// self + sums: the result of an operator that adds to self, from the gradient `sums`, which begins
/// with +0 instead of self. Throws as require() does for a self that holds -0: -0 + 0 is +0. A
/// reduction, not `+`, which would multiply the second complex number by 1: if one of its parts is
/// NaN, both would be.
Tensor added_to(const Tensor& self, const Tensor& sums);

/// Whether halves * 2 == whole, where two NaN count as equal. False for complex numbers that are
/// NaN or hold -0: their product spreads NaN and may change the sign of a zero.
bool are_halves(const Tensor& halves, const Tensor& whole);

/// Whether an index along a dimension of self names an element twice.
bool has_duplicates(const Tensor& index, std::int64_t dim, const Tensor& self);

/// Whether each index in [0, rows) occurs at most twice, or four times: a mean then divides its
/// terms, or their sum, by a power of two.
bool are_scales_exact(const Tensor& indices, std::int64_t rows);

/// The sizes of index_select's result.
std::vector<std::int64_t> selected_sizes(Arguments of_index_select);

/// Whether a list of indices holds None alone.
bool is_none(const IValue& indices);

/// The part of src that an index of y's sizes covers, with these sizes.
Tensor part_of(const Tensor& src, const Tensor& y);

/// The first slice that narrow_copy takes, counted from the front.
std::int64_t first_slice(const Tensor& self, Arguments arguments);

/// kept + placed: the result of an operator that replaces elements of self. `kept`: its gradient
/// with respect to self, given self as the gradient of the result; it is self with zeros at the
/// replaced elements. `placed`: its result for a self of zeros; it is what replaces them, and zeros
/// elsewhere. Throws as require() does if self or `placed` holds -0, which the sum loses.
Tensor both(const Tensor& self, const Tensor& kept, const Tensor& placed);

}  // namespace indexfuzz::gradients
