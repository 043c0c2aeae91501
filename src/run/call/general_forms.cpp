#include "run/call/general_forms.h"

#include <ATen/core/function_schema.h>

#include <span>

#include "case/replace_all.h"
#include "run/call/call_text.h"
#include "run/call/each_tensor.h"
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

// vmap: the rest of a batch must not matter.

bool can_be_batched(const OperatorInfo& op) {
  // The size of the result depends on values; offsets that are flipped are illegal.
  return op.name != "nonzero" && op.name != "embedding_bag";
}

bool always(const OperatorInfo&) {
  return true;
}

constexpr GeneralForm kForms[] = {
    {"contiguous", always, false, true, call_on_copies, contiguous_python},
    {"vmap", can_be_batched, true, false, call_under_vmap, vmap_python},
};

}  // namespace

std::span<const GeneralForm> general_forms() {
  return kForms;
}

}  // namespace indexfuzz
