#pragma once
// A call under torch.func.vmap, or under one vmap in another: the result for each entry of the
// batch must be that of a call of its own (documentation of torch.func.vmap).

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <string_view>

#include "run/call/plan.h"

namespace indexfuzz {

/// Replaces the operator's arguments at the end of the stack by its results, computed in a batch:
/// one entry is the call itself, and its results are returned.
/// - The batch has two or three entries, and the call is the first or the last of them.
/// - The other entries have the same operands flipped in all dimensions: as legal, but other
///   elements. A single element becomes 0, unless it is an integer, which may be the only legal
///   position.
/// - Batch dimensions: all tensors have one, or only those of the first argument that is or holds a
///   tensor, or only the others; what the operator writes always has one. It is the first, the
///   second or the last dimension.
/// The numbers of elements and dimensions of the first tensor decide all of this, so that the
/// programs can do the same. An in-place call also writes the result into the first operand. Throws
/// what the call throws; c10::NotImplementedError without a tensor, for what vmap says that it
/// cannot batch, for a tensor of offsets, and for integers beyond 2^20 in the arguments, for which
/// a batching rule may take all memory.
void call_under_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// As call_under_vmap(), by one vmap in another: one has a batch of two, the other of three. A
/// tensor has a batch dimension of the outer vmap, of the inner one, of both or of none; what the
/// operator writes has both.
void call_under_nested_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The plan's functional or in-place call, a template as in Form::python, made in one of these ways
/// by a function of the program (reproduce/python_callers.h).
std::string vmap_python(const Plan& plan, std::string_view call);
std::string nested_vmap_python(const Plan& plan, std::string_view call);

}  // namespace indexfuzz
