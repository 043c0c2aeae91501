#pragma once
// How operators are computed by the gradients of others.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <span>

#include "run/call/plan.h"

namespace indexfuzz::gradients {

/// Computes an operator by the gradient of a call of another. `call`: how the functional form of
/// that other operator is called. `arguments`: those of the computed operator's functional form, in
/// ATen's order. Throws what the calls throw; c10::NotImplementedError for what has no gradient.
using Computation = at::Tensor(const Plan& call, std::span<const c10::IValue> arguments);

/// Each computes the operator that its name begins with.
Computation scatter_add, scatter_add_by_taking, index_add, index_put, put, embedding_dense_backward,
    embedding_dense_backward_by_bags, masked_scatter, gather, index_select,
    index_select_by_reduction, index, take, masked_select, gather_by_reduction, narrow_copy_by_cat,
    narrow_copy_by_slice_scatter, as_strided_scatter, diagonal_scatter, index_fill, masked_fill,
    select_scatter, where, flip, roll;
/// tril or triu.
Computation triangle;
/// The gradient of an operator that pads.
Computation padding_backward;

/// Whether a call with these arguments has some property.
using Condition = bool(std::span<const c10::IValue> arguments);

/// Whether the operator broadcasts an operand that has a gradient.
Condition masked_fill_broadcasts, where_broadcasts;
/// Of self, the first argument.
Condition has_odd_rank, has_even_rank;

}  // namespace indexfuzz::gradients
