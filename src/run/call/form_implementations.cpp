#include "run/call/form_implementations.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <iterator>

#include "case/strings/nearest_name.h"
#include "run/call/computed_operator.h"
#include "run/call/derived.h"
#include "run/call/forms.h"
#include "run/call/general_forms.h"
#include "run/call/named_implementation.h"
#include "run/call/registered.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;

/// The kernel that calls ATen's operator by the form.
c10::OperatorHandle register_general(const GeneralForm& form, const c10::OperatorHandle& aten) {
  c10::OperatorName name = aten.operator_name();
  name.name.replace(0, std::string_view("aten").size(), "indexfuzz_" + std::string(form.name));
  return register_derived(name, aten.schema(),
                          [&form, aten](torch::jit::Stack& stack) { form.call(aten, stack); });
}

Implementation implementation_of(const GeneralForm& form, Operators requested) {
  Implementation implementation;
  implementation.name = std::string(kFormPrefix) + std::string(form.name);
  implementation.illegal = form.illegal;
  implementation.cost = form.cost;
  for (const OperatorInfo* op : requested) {
    if (!form.is_of(*op)) continue;
    for (std::size_t o = 0; o < op->overloads.size(); ++o) {
      for (const Form& called : op->overloads[o].forms) {
        if (called.variant != Variant::kFunctional &&
            !(form.in_place && called.variant == Variant::kInPlace && !passes_self_as_out(called)))
          continue;
        const auto aten = aten_handle(called);
        if (!aten) continue;  // an older LibTorch lacks it
        std::optional<Plan> plan = bind(register_general(form, *aten), *op, static_cast<int>(o));
        if (!plan) continue;
        plan->python = form.python(*plan, called.python);
        implementation.plans.push_back(std::move(*plan));
      }
    }
  }
  return implementation;
}

/// Those of all operators that have the form.
std::vector<const OperatorInfo*> operators_of(const GeneralForm& form) {
  std::vector<const OperatorInfo*> found;
  std::ranges::copy_if(operators(), std::back_inserter(found),
                       [&](const OperatorInfo* op) { return form.is_of(*op); });
  return found;
}

const GeneralForm* find_general_form(std::string_view name) {
  const auto found = std::ranges::find(general_forms(), name, &GeneralForm::name);
  return found == general_forms().end() ? nullptr : &*found;
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
  for (const GeneralForm& form : general_forms()) {
    if (std::ranges::any_of(requested, [&](const OperatorInfo* op) { return form.is_of(*op); }))
      names.push_back(std::string(kFormPrefix) + std::string(form.name));
  }
  return names;
}

std::string add_form(std::vector<Implementation>& implementations, const std::string& name,
                     Operators requested) {
  const std::string_view suffix = std::string_view(name).substr(kFormPrefix.size());
  if (const GeneralForm* form = find_general_form(suffix)) {
    implementations.push_back(implementation_of(*form, requested));
    if (!implementations.back().plans.empty()) return {};
    return not_requested(name, "is of " + names_of(operators_of(*form)), requested);
  }
  const CompositeForm* form = find_form_named(suffix);
  if (form == nullptr) {
    const std::vector<std::string> all = form_names(operators());
    return "there is no " + name + did_you_mean(name, all, "; there are " + join(all, ", "));
  }
  if (!is_requested(form->op, requested))
    return not_requested(name, "computes " + std::string(form->op), requested);
  const OperatorInfo& op = *find_operator(form->op);
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(
      (std::string(kFormSpace) + "::" + std::string(form->name)).c_str(), "");
  Implementation implementation;
  implementation.name = name;
  implementation.illegal = IllegalCases::kNone;
  std::vector<Plan> plans = bind(handle, op);
  if (plans.empty()) return "internal error: the schema of " + name + " does not fit its operator";
  plans.front().python = form->python;
  implementation.plans.push_back(std::move(plans.front()));
  implementations.push_back(std::move(implementation));
  return {};
}

}  // namespace indexfuzz
