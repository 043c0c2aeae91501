#pragma once
// A call as torch.func.vmap makes it for a batch, or one torch.func.vmap in another for a batch of
// batches: the result for each of them must be that of a call of its own (documentation of
// torch.func.vmap).

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <string_view>

#include "run/call/plan.h"

namespace indexfuzz {

/// Calls the operator, with its arguments at the end of the stack, for a batch of two, and returns
/// the result for one of them. The other has the same operands, flipped in all dimensions, and 0 in
/// place of a single element that is no integer. How many elements the first tensor has decides
/// which of the two comes first, and whether all tensors have a batch dimension, or it alone, or,
/// unless the operator writes it, the others if there are any. Throws what the call throws;
/// c10::NotImplementedError for what vmap cannot batch, and for numbers beyond 2^20.
void call_under_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// As call_under_vmap(), by one vmap in another, of which one has a batch of two and the other of
/// three. How many elements the first tensor has decides for which tensors the outer vmap has a
/// batch, for which the inner one, and for which both; for what the operator writes both have.
void call_under_nested_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The plan's functional or in-place call, a template as in Form::python, made in one of these
/// ways; by a function which the programs define (reproduce/python_callers.h).
std::string vmap_python(const Plan& plan, std::string_view call);
std::string nested_vmap_python(const Plan& plan, std::string_view call);

}  // namespace indexfuzz
