#include "run/call/general_forms.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <span>
#include <vector>

#include "case/strings/replace_all.h"
#include "run/call/call_text.h"
#include "run/call/derivative_forms.h"
#include "run/call/each_tensor.h"
#include "run/call/gradient_call.h"
#include "run/call/gradient_parts.h"
#include "run/call/vmap.h"

namespace indexfuzz {
namespace {

// contiguous: layout must not matter.

at::Tensor contiguous_copy(const at::Tensor& tensor) {
  return tensor.clone(at::MemoryFormat::Contiguous);
}

void call_on_copies(const c10::OperatorHandle& aten, torch::jit::Stack& stack) {
  for (c10::IValue& argument : std::span(stack).last(aten.schema().arguments().size()))
    argument = each_tensor(argument, contiguous_copy);
  aten.callBoxed(stack);
}

std::string contiguous_python(const Plan& plan, std::string_view call) {
  std::string text(call);
  for (const OperandSpec& spec : plan.op->overloads[plan.overload].operands) {
    const std::string name = placeholder_of(spec);
    if (spec.role == Role::kScalar) continue;
    replace_all(text, name,
                spec.is_list ? "[i if i is None else i.contiguous() for i in " + name + "]"
                             : name + ".contiguous()");
  }
  return text;
}

// sparse: which elements are stored must not matter.

bool takes_sparse(const OperatorInfo& op) {
  return op.takes_sparse;
}

void call_on_sparse(const c10::OperatorHandle& aten, torch::jit::Stack& stack) {
  using gradients::require;
  const auto arguments = std::span(stack).last(aten.schema().arguments().size());
  for (const c10::IValue& index : arguments.subspan(1)) {
    require(!index.isTensor() || index.toTensor().dim() == 1, "scalar indices");
    require(!index.isTensor() || index.toTensor().scalar_type() == at::kLong, "indices of int32");
  }
  std::vector<at::Tensor> operands;
  arguments[0] = each_tensor(arguments[0], [&](const at::Tensor& tensor) {
    operands.push_back(tensor);
    // A concatenation leaves out a tensor of one empty dimension beside others.
    require(tensor.dim() > 0 && tensor.dim() == operands[0].dim(), "sparse scalars or other ranks");
    return tensor.to_sparse();
  });
  aten.callBoxed(stack);
  stack.back() = stack.back().toTensor().to_dense();
  for (const at::Tensor& operand : operands)
    gradients::require_exact_in_sums(operand, stack.back().toTensor().is_complex());
}

std::string sparse_python(const Plan& plan, std::string_view call) {
  std::string text(call);
  const OperandSpec& first = plan.op->overloads[plan.overload].operands[0];
  const std::string name = placeholder_of(first);
  replace_all(text, name,
              first.is_list ? "[x.to_sparse() for x in " + name + "]" : name + ".to_sparse()");
  return text + ".to_dense()";
}

// vmap, nested_vmap: the rest of a batch must not matter.

bool can_be_batched(const OperatorInfo& op) {
  return op.can_be_batched;
}

// forward_mode, double_backward: the derivatives of a linear call are the call itself.

bool is_differentiated_again(const OperatorInfo& op) {
  return op.derivatives == Derivatives::kAll;
}

bool always(const OperatorInfo&) {
  return true;
}

constexpr GeneralForm kForms[] = {
    {"contiguous", always, false, 1, IllegalCases::kNone, call_on_copies, contiguous_python},
    {"double_backward", is_differentiated_again, true, 8, IllegalCases::kNone,
     call_by_double_backward, double_backward_python},
    {"forward_mode", is_differentiated_again, true, 4, IllegalCases::kNone, call_in_forward_mode,
     forward_mode_python},
    {"nested_vmap", can_be_batched, true, 2, IllegalCases::kNotInPlace, call_under_nested_vmap,
     nested_vmap_python},
    {"sparse", takes_sparse, false, 4, IllegalCases::kAll, call_on_sparse, sparse_python},
    {"vmap", can_be_batched, true, 1, IllegalCases::kNotInPlace, call_under_vmap, vmap_python},
};

}  // namespace

std::span<const GeneralForm> general_forms() {
  return kForms;
}

}  // namespace indexfuzz
