#pragma once
// What the computations of gradients share: which operands leave one right result, and what an
// operator makes of a gradient.

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

/// Throws as require() does for numbers that a sum with zeros changes: -0 and, if it is one of
/// complex numbers, infinities and NaN, which spread to the other part.
void require_exact_in_sums(const Tensor& tensor, bool is_complex);

/// What an operator that adds to self makes of it. The sums of a gradient begin with 0, to which
/// -0 adds nothing. An addition of complex numbers by `+` multiplies the second by 1, which makes
/// both parts NaN if one is.
Tensor added_to(const Tensor& self, const Tensor& sums);

/// Whether twice the halves is the whole. A product of complex numbers spreads NaN, and may change
/// the sign of a zero.
bool are_halves(const Tensor& halves, const Tensor& whole);

/// Whether an index along a dimension of self names an element twice.
bool has_duplicates(const Tensor& index, std::int64_t dim, const Tensor& self);

/// Whether all indices occur once, twice or four times: the terms are then divided by the same
/// powers of two as their sum.
bool are_scales_exact(const Tensor& indices, std::int64_t rows);

/// The sizes of what index_select selects.
std::vector<std::int64_t> selected_sizes(Arguments of_index_select);

/// Whether a list of indices holds None alone.
bool is_none(const IValue& indices);

/// The elements of src that an index of y's sizes covers.
Tensor part_of(const Tensor& src, const Tensor& y);

/// The first slice that narrow_copy takes, counted from the front.
std::int64_t first_slice(const Tensor& self, Arguments arguments);

/// What an operator that replaces elements of self makes of it: its gradient has zeros where these
/// were, and what replaces them is added.
Tensor both(const Tensor& self, const Tensor& kept, const Tensor& placed);

}  // namespace indexfuzz::gradients
