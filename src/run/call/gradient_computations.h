#pragma once
// How operators are computed by the gradients of others.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <span>

#include "run/call/plan.h"

namespace indexfuzz::gradients {

/// `call`: how the functional form of the operator whose gradient is taken is called. `arguments`:
/// those of the functional form of the operator that is computed, in ATen's order. Throws what the
/// calls throw, and for what has no gradient c10::NotImplementedError.
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

/// What holds for a call with these arguments.
using Condition = bool(std::span<const c10::IValue> arguments);

/// Whether the operator broadcasts an operand that has a gradient.
Condition masked_fill_broadcasts, where_broadcasts;

}  // namespace indexfuzz::gradients
