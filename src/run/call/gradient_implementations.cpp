#include "run/call/gradient_implementations.h"

#include <ATen/core/function_schema.h>

#include <algorithm>

#include "run/call/call_text.h"
#include "run/call/computed_operator.h"
#include "run/call/derivative_forms.h"
#include "run/call/derived.h"
#include "run/call/gradient_call.h"
#include "run/call/gradients.h"
#include "run/call/registered.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;

const std::string kGradientSpace = "indexfuzz_gradient::";
const std::string kBackwardSpace = "indexfuzz_backward::";

bool is_among(std::string_view name, Operators list) {
  return std::ranges::any_of(list, [&](const OperatorInfo* op) { return op->name == name; });
}

/// How the gradient of an operator is tested; null if it is not.
const GradientRule* rule_of(std::string_view op) {
  const auto found = std::ranges::find(gradient_rules(), op, &GradientRule::of);
  return found == gradient_rules().end() ? nullptr : &*found;
}

/// Those whose gradients compute one of the operators.
std::vector<const OperatorInfo*> operators_with_gradient(Operators computed) {
  std::vector<const OperatorInfo*> found;
  for (const GradientRule& rule : gradient_rules()) {
    if (is_among(rule.op, computed)) found.push_back(find_operator(rule.of));
  }
  return found;
}

/// "gather scatter_add, take put": each with what its gradient computes.
std::string pairs_of(Operators with_gradient) {
  std::vector<std::string> pairs;
  for (const OperatorInfo* op : with_gradient)
    pairs.push_back(std::string(op->name) + " " + std::string(rule_of(op->name)->op));
  return join(pairs, ", ");
}

/// How the overload of the rule is called through one of the schemas; none if none fits.
std::optional<Plan> functional_plan(const std::vector<c10::OperatorHandle>& handles,
                                    const GradientRule& rule) {
  const OperatorInfo& op = *find_operator(rule.of);
  for (const c10::OperatorHandle& handle : handles) {
    for (Plan& plan : bind(handle, op)) {
      if (plan.variant == Variant::kFunctional && op.overloads[plan.overload].name == rule.overload)
        return std::move(plan);
    }
  }
  return std::nullopt;
}

bool has_gradient(const c10::OperatorHandle& handle, bool gpu) {
  using c10::DispatchKey;
  return std::ranges::any_of(
      std::initializer_list{DispatchKey::Autograd,
                            gpu ? DispatchKey::AutogradCUDA : DispatchKey::AutogradCPU,
                            DispatchKey::CompositeImplicitAutograd},
      [&](DispatchKey key) { return handle.hasKernelForDispatchKey(key); });
}

/// ATen's functional form of the operator that the rule computes.
const Form& computed_form(const GradientRule& rule) {
  return *find_form(find_operator(rule.op)->overloads[0], Variant::kFunctional);
}

/// Those without a rule that gradients of all their operands compute.
std::vector<const OperatorInfo*> computed_by_backward(Operators among) {
  std::vector<const OperatorInfo*> found;
  for (const OperatorInfo* op : among) {
    if (rule_of(op->name) == nullptr && is_linear(*op)) found.push_back(op);
  }
  return found;
}

/// How an operator is computed by the gradients of a call of its own.
std::optional<Plan> plan_by_backward(const Plan& call) {
  const Overload& overload = call.op->overloads[call.overload];
  const c10::FunctionSchema& schema =
      aten_handle(*find_form(overload, Variant::kFunctional))->schema();
  const std::size_t count = schema.arguments().size();
  const c10::OperatorHandle handle =
      register_derived({kBackwardSpace + derived_name(call.handle->operator_name()), ""}, schema,
                       [call, &schema, count](torch::jit::Stack& stack) {
                         const auto arguments = std::span(stack).last(count);
                         at::Tensor result = result_by_backward(
                             call.op->name, {arguments.begin(), arguments.end()},
                             [&](std::span<const c10::IValue> changed) {
                               std::vector<gradients::NamedArgument> named;
                               for (std::size_t i = 0; i < count; ++i)
                                 named.push_back({schema.arguments()[i].name(), changed[i]});
                               return gradients::call_operator(call, named);
                             });
                         torch::jit::drop(stack, count);
                         stack.emplace_back(std::move(result));
                       });
  std::optional<Plan> plan = bind(handle, *call.op, call.overload);
  if (plan) plan->python = backward_python(call, python_call(call));
  return plan;
}

/// Adds the functional forms of a kernel, each computed by its gradients, once for each device.
/// Returns whether it has any.
bool add_by_backward(Resolved& resolved, const std::string& name, const KernelName& parsed,
                     const std::vector<c10::OperatorHandle>& handles, const OperatorInfo& op,
                     const KernelDevices& devices) {
  const auto add = [&](int device) {
    const bool on_gpu = device >= 0;
    Implementation implementation{.name = name + (on_gpu ? gpu_suffix(device) : ""),
                                  .device = device,
                                  .custom = parsed.space != "aten",
                                  .legal_only = true,
                                  .is_gradient = true};
    for (const c10::OperatorHandle& handle : handles) {
      if (!serves(handle, on_gpu) || !has_gradient(handle, on_gpu)) continue;
      for (const Plan& call : bind(handle, op)) {
        if (call.variant != Variant::kFunctional) continue;
        if (std::optional<Plan> plan = plan_by_backward(call))
          implementation.plans.push_back(std::move(*plan));
      }
    }
    const bool any = !implementation.plans.empty();
    if (any) resolved.implementations.push_back(std::move(implementation));
    return any;
  };
  const bool on_cpu = devices.on_cpu && add(-1);
  const bool on_gpu = devices.gpu >= 0 && add(devices.gpu);
  return on_cpu || on_gpu;
}

/// Registers what computes the rule by the gradient of a call.
c10::OperatorHandle register_gradient(const GradientRule& rule, const Plan& call) {
  const c10::FunctionSchema& schema = aten_handle(computed_form(rule))->schema();
  const std::size_t count = schema.arguments().size();
  return register_derived({kGradientSpace + derived_name(call.handle->operator_name()), ""}, schema,
                          [&rule, call, count](torch::jit::Stack& stack) {
                            at::Tensor result = rule.compute(call, std::span(stack).last(count));
                            torch::jit::drop(stack, count);
                            stack.emplace_back(std::move(result));
                          });
}

}  // namespace

std::vector<std::string> gradient_names(Operators requested) {
  std::vector<std::string> names;
  for (const GradientRule& rule : gradient_rules()) {
    if (is_among(rule.op, requested))
      names.push_back(std::string(kGradientPrefix) + "aten::" + std::string(rule.of));
  }
  return names;
}

std::string add_gradient(Resolved& resolved, const std::string& kernel, Operators requested,
                         const KernelDevices& devices) {
  const std::string name = std::string(kGradientPrefix) + kernel;
  const KernelName parsed = parse_name(kernel);
  std::vector<c10::OperatorHandle> handles = overloads_of(parsed.space + "::" + parsed.name);
  if (handles.empty()) return not_registered(kernel, parsed);
  if (std::string error = keep_overload(kernel, parsed, handles); !error.empty()) return error;
  const std::string no_gradient =
      name + " cannot be tested: " + kernel +
      " registers no gradient; register one for the Autograd dispatch key, in Python by "
      "register_autograd";
  const OperatorInfo* const named = find_operator(parsed.name);
  const bool has_no_rule = named != nullptr && rule_of(named->name) == nullptr;
  const OperatorInfo *own = nullptr, *of = nullptr;
  const bool computes_own =
      (named == nullptr || has_no_rule) &&
      find_computed(kernel, parsed, handles, computed_by_backward(requested), own).empty();
  if (has_no_rule && !computes_own) {
    if (is_linear(*named)) return not_requested(name, "computes " + parsed.name, requested);
    return name + " cannot be tested: of " + names_of(operators_with_gradient(operators())) +
           " the gradients are, not of " + parsed.name;
  }
  const auto find_among = [&](Operators computed) {
    std::vector<const OperatorInfo*> candidates = operators_with_gradient(computed);
    const auto [unfit, end] =
        std::ranges::stable_partition(candidates, [&](const OperatorInfo* op) {
          return functional_plan(handles, *rule_of(op->name)).has_value();
        });
    // If none fits, the error says what each needs.
    if (unfit != candidates.begin()) candidates.erase(unfit, end);
    const bool is_said = std::ranges::any_of(
        candidates, [&](const OperatorInfo* op) { return is_among(op->name, requested); });
    if (is_said) {
      std::erase_if(candidates,
                    [&](const OperatorInfo* op) { return !is_among(op->name, requested); });
    }
    return find_computed(kernel, parsed, handles, candidates, of, {},
                         "the operator that it computes and the one that its gradient does: " +
                             pairs_of(candidates));
  };
  std::string error = find_among(requested);
  if (computes_own) {
    if (!has_no_rule && error.empty())
      return name + " may compute " + std::string(own->name) + " or " +
             std::string(rule_of(of->name)->op) + ": test one of them at a time";
    return add_by_backward(resolved, name, parsed, handles, *own, devices) ? "" : no_gradient;
  }
  if (!error.empty()) error = find_among(operators());
  if (!error.empty()) return error;
  const GradientRule& rule = *rule_of(of->name);
  const OperatorInfo& op = *find_operator(rule.op);
  if (!is_among(op.name, requested))
    return not_requested(name, "computes " + std::string(op.name), requested);
  const std::optional<Plan> call = functional_plan(handles, rule);
  if (!call) {
    return name + " cannot be tested: " + kernel + " has no functional schema, " +
           expected_schemas(*of, Variant::kFunctional);
  }
  const auto add = [&](int device) {
    const bool on_gpu = device >= 0;
    if (!serves(*call->handle, on_gpu) || !has_gradient(*call->handle, on_gpu)) return false;
    std::optional<Plan> plan = bind(register_gradient(rule, *call), op, 0);
    if (!plan) return false;
    plan->python = gradient_python(rule, *call);
    resolved.implementations.push_back({.name = name + (on_gpu ? gpu_suffix(device) : ""),
                                        .device = device,
                                        .custom = parsed.space != "aten",
                                        .legal_only = true,
                                        .is_gradient = true,
                                        .plans = {std::move(*plan)}});
    return true;
  };
  const bool added_on_cpu = devices.on_cpu && add(-1);
  const bool added_on_gpu = devices.gpu >= 0 && add(devices.gpu);
  return added_on_cpu || added_on_gpu ? "" : no_gradient;
}

std::vector<std::string> untested_gradients(std::span<const Implementation> implementations) {
  return untested(implementations, {.prefix = kGradientPrefix}, "the gradient",
                  [](const Plan& plan) {
                    return (rule_of(plan.op->name) != nullptr || is_linear(*plan.op)) &&
                           plan.handle->hasKernelForDispatchKey(c10::DispatchKey::Autograd);
                  });
}

}  // namespace indexfuzz
