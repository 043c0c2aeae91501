#include "run/call/form_implementations.h"

#include <ATen/core/function_schema.h>
#include <torch/library.h>

#include <algorithm>

#include "case/nearest.h"
#include "run/call/computed_operator.h"
#include "run/call/forms.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;

const std::string kContiguous = "form:contiguous";

const Form* functional_form(const Overload& overload) {
  return find_form(overload, Variant::kFunctional);
}

/// Replaces every `from` in the text by `to`.
void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// ATen's call with its operands made contiguous.
std::string contiguous_python(const Overload& overload, const Form& form) {
  std::string text(form.python);
  for (const OperandSpec& spec : overload.operands) {
    const std::string name = "{" + std::string(spec.name) + "}";
    if (spec.role == Role::kScalar) continue;
    replace_all(text, name,
                spec.is_list ? "[i if i is None else i.contiguous() for i in " + name + "]"
                             : name + ".contiguous()");
  }
  return text;
}

at::Tensor contiguous_copy(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.clone(at::MemoryFormat::Contiguous) : tensor;
}

/// Calls ATen's operator of the same name on copies of all tensors.
void call_on_copies(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const std::string name = "aten" + schema.name().substr(schema.name().find("::"));
  const auto aten =
      c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), schema.overload_name().c_str());
  for (auto argument = stack->end() - static_cast<std::ptrdiff_t>(schema.arguments().size());
       argument != stack->end(); ++argument) {
    if (argument->isTensor()) {
      *argument = contiguous_copy(argument->toTensor());
    } else if (argument->isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> copies;
      for (const std::optional<at::Tensor>& entry : argument->toOptionalTensorList())
        copies.push_back(entry ? std::optional(contiguous_copy(*entry)) : std::nullopt);
      *argument = std::move(copies);
    } else if (argument->isTensorList()) {
      c10::List<at::Tensor> copies;
      for (const at::Tensor& entry : argument->toTensorVector())
        copies.push_back(contiguous_copy(entry));
      *argument = std::move(copies);
    }
  }
  aten.callBoxed(*stack);
}

/// Registers the kernels of form:contiguous, once a process.
void register_contiguous() {
  static torch::Library library(torch::Library::DEF, std::string(kContiguousSpace), std::nullopt,
                                __FILE__, __LINE__);
  static bool done = false;
  if (done) return;
  done = true;
  for (const OperatorInfo* op : operators()) {
    for (const Overload& overload : op->overloads) {
      const Form* form = functional_form(overload);
      if (form == nullptr) continue;
      const auto aten = aten_handle(*form);
      if (!aten) continue;
      const std::string name = std::string(kContiguousSpace) + "::" + std::string(form->aten_name);
      // Several of our overloads may be one of ATen's.
      const c10::OperatorName registered{name, std::string(form->aten_overload)};
      if (c10::Dispatcher::singleton().findSchema(registered)) continue;
      library.def(aten->schema().cloneWithName(name, std::string(form->aten_overload)));
      const std::string full =
          name + (form->aten_overload.empty() ? "" : ".") + std::string(form->aten_overload);
      library.impl(full.c_str(),
                   torch::dispatch(c10::DispatchKey::CPU,
                                   torch::CppFunction::makeFromBoxedFunction<&call_on_copies>()));
    }
  }
}

Implementation contiguous_form(Operators requested) {
  register_contiguous();
  Implementation form;
  form.name = kContiguous;
  form.legal_only = true;
  for (const OperatorInfo* op : requested) {
    for (std::size_t o = 0; o < op->overloads.size(); ++o) {
      const Form* aten = functional_form(op->overloads[o]);
      if (aten == nullptr) continue;
      const auto handle = c10::Dispatcher::singleton().findSchema(
          {std::string(kContiguousSpace) + "::" + std::string(aten->aten_name),
           std::string(aten->aten_overload)});
      if (!handle) continue;
      std::optional<Plan> plan = bind(*handle, *op, static_cast<int>(o));
      if (!plan) continue;
      plan->python = contiguous_python(op->overloads[o], *aten);
      form.plans.push_back(std::move(*plan));
    }
  }
  return form;
}

const CompositeForm* find_form_named(std::string_view name) {
  for (const CompositeForm& form : composite_forms()) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

bool is_requested(std::string_view op, Operators requested) {
  return std::ranges::any_of(requested, [&](const OperatorInfo* row) { return row->name == op; });
}

}  // namespace

std::vector<std::string> form_names(Operators requested) {
  std::vector<std::string> names;
  for (const CompositeForm& form : composite_forms()) {
    if (is_requested(form.op, requested))
      names.push_back(std::string(kFormPrefix) + std::string(form.name));
  }
  names.push_back(kContiguous);
  return names;
}

std::string add_form(std::vector<Implementation>& implementations, const std::string& name,
                     Operators requested) {
  if (name == kContiguous) {
    implementations.push_back(contiguous_form(requested));
    return {};
  }
  const CompositeForm* form = find_form_named(std::string_view(name).substr(kFormPrefix.size()));
  if (form == nullptr) {
    const std::vector<std::string> all = form_names(operators());
    const std::string near = nearest(name, all);
    std::string text = "there is no " + name;
    if (!near.empty()) return text + "; did you mean " + near + "?";
    text += "; there are";
    for (const std::string& known : all) text += (&known == &all[0] ? " " : ", ") + known;
    return text;
  }
  if (!is_requested(form->op, requested))
    return not_requested(name, "computes " + std::string(form->op), requested);
  const OperatorInfo& op = *find_operator(form->op);
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(
      (std::string(kFormSpace) + "::" + std::string(form->name)).c_str(), "");
  Implementation implementation;
  implementation.name = name;
  implementation.legal_only = true;
  std::vector<Plan> plans = bind(handle, op);
  if (plans.empty()) return "internal error: the schema of " + name + " does not fit its operator";
  plans.front().python = form->python;
  implementation.plans.push_back(std::move(plans.front()));
  implementations.push_back(std::move(implementation));
  return {};
}

}  // namespace indexfuzz
