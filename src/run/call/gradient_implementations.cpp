#include "run/call/gradient_implementations.h"

#include <ATen/core/function_schema.h>

#include <algorithm>

#include "ops/definition/illegal_rule.h"
#include "run/call/call_text.h"
#include "run/call/computed_operator.h"
#include "run/call/derivative_forms.h"
#include "run/call/derived.h"
#include "run/call/gradient_call.h"
#include "run/call/gradients.h"
#include "run/call/named_implementation.h"
#include "run/call/registered.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;

const std::string kGradientSpace = "indexfuzz_gradient::";
const std::string kBackwardSpace = "indexfuzz_backward::";

bool is_among(std::string_view name, Operators list) {
  return std::ranges::any_of(list, [&](const OperatorInfo* op) { return op->name == name; });
}

/// Whether its gradient computes it, if the call is linear.
bool has_backward(const OperatorInfo& op) {
  return op.derivatives != Derivatives::kNone;
}

/// How the gradient of an operator is tested; null if it is not.
const GradientRule* rule_of(std::string_view op) {
  const auto found = std::ranges::find(gradient_rules(), op, &GradientRule::of);
  return found == gradient_rules().end() ? nullptr : &*found;
}

/// The operators that gradients of this one compute: itself, if it is linear, and that of its rule.
std::vector<const OperatorInfo*> computed_by_gradients_of(const OperatorInfo& op) {
  std::vector<const OperatorInfo*> computed;
  if (has_backward(op)) computed.push_back(&op);
  const GradientRule* const rule = rule_of(op.name);
  if (rule != nullptr && (computed.empty() || rule->op != op.name))
    computed.push_back(find_operator(rule->op));
  return computed;
}

/// Those whose gradients compute one of the operators.
std::vector<const OperatorInfo*> operators_with_gradient(Operators computed) {
  std::vector<const OperatorInfo*> found;
  for (const OperatorInfo* op : operators()) {
    if (std::ranges::any_of(computed_by_gradients_of(*op),
                            [&](const OperatorInfo* by) { return is_among(by->name, computed); }))
      found.push_back(op);
  }
  return found;
}

/// "gather or scatter_add".
std::string either_of(Operators list) {
  std::vector<std::string> names;
  for (const OperatorInfo* op : list) names.emplace_back(op->name);
  return join(names, " or ");
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

bool has_functional_plan(const std::vector<c10::OperatorHandle>& handles, const OperatorInfo& op) {
  return std::ranges::any_of(handles, [&op](const c10::OperatorHandle& handle) {
    return std::ranges::any_of(
        bind(handle, op), [](const Plan& plan) { return plan.variant == Variant::kFunctional; });
  });
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

/// What a call computes, by its gradients. `arguments`: those of ATen's functional schema.
at::Tensor computed_by_backward(const Plan& call, const c10::FunctionSchema& schema,
                                std::span<const c10::IValue> arguments) {
  const auto call_with = [&](std::span<const c10::IValue> changed) {
    std::vector<gradients::NamedArgument> named;
    for (std::size_t i = 0; i < changed.size(); ++i)
      named.push_back({schema.arguments()[i].name(), changed[i]});
    return gradients::call_operator(call, named);
  };
  return result_by_backward(call.op->name, {arguments.begin(), arguments.end()}, call_with);
}

/// How an operator is computed by the gradients of a call of its own.
std::optional<Plan> plan_by_backward(const Plan& call) {
  const Overload& overload = call.op->overloads[call.overload];
  const c10::FunctionSchema& schema =
      aten_handle(*find_form(overload, Variant::kFunctional))->schema();
  const std::size_t count = schema.arguments().size();
  const c10::OperatorHandle handle = register_derived(
      {kBackwardSpace + derived_name(call.handle->operator_name()), ""}, schema,
      [call, &schema, count](torch::jit::Stack& stack) {
        at::Tensor result = computed_by_backward(call, schema, std::span(stack).last(count));
        torch::jit::drop(stack, count);
        stack.emplace_back(std::move(result));
      });
  std::optional<Plan> plan = bind(handle, *call.op, call.overload);
  if (plan) plan->python = backward_python(call, python_call(call));
  return plan;
}

/// How the operator of the rule is computed by the gradient of a call.
std::optional<Plan> plan_by_rule(const GradientRule& rule, const Plan& call) {
  const c10::FunctionSchema& schema = aten_handle(computed_form(rule))->schema();
  const std::size_t count = schema.arguments().size();
  const c10::OperatorHandle handle =
      register_derived({kGradientSpace + derived_name(call.handle->operator_name()), ""}, schema,
                       [&rule, &schema, call, count](torch::jit::Stack& stack) {
                         const auto arguments = std::span(stack).last(count);
                         at::Tensor result = rule.by_all != nullptr && rule.by_all(arguments)
                                                 ? computed_by_backward(call, schema, arguments)
                                                 : rule.compute(call, arguments);
                         torch::jit::drop(stack, count);
                         stack.emplace_back(std::move(result));
                       });
  std::optional<Plan> plan = bind(handle, *find_operator(rule.op), 0);
  if (plan) plan->python = gradient_python(rule, call);
  return plan;
}

/// What the gradients of a kernel that computes `op` compute of the requested operators.
std::vector<Plan> gradient_plans(const std::vector<c10::OperatorHandle>& handles,
                                 const OperatorInfo& op, Operators requested, bool is_custom,
                                 bool on_gpu) {
  std::vector<Plan> plans;
  const auto usable = [&](const c10::OperatorHandle& handle) {
    return serves(handle, on_gpu) && has_gradient(handle, on_gpu);
  };
  const auto add = [&](std::optional<Plan> plan) {
    if (plan) plans.push_back(std::move(*plan));
  };
  const GradientRule* const rule = rule_of(op.name);
  if (rule != nullptr && is_among(rule->op, requested)) {
    const std::optional<Plan> call = functional_plan(handles, *rule);
    if (call && usable(*call->handle)) add(plan_by_rule(*rule, *call));
  }
  // PyTorch's own gradients are also tested by form:double_backward.
  const bool enough = !is_custom && !plans.empty();
  if (enough || !has_backward(op) || !is_among(op.name, requested)) return plans;
  for (const c10::OperatorHandle& handle : handles) {
    if (!usable(handle)) continue;
    for (const Plan& call : bind(handle, op)) {
      const bool by_rule = rule != nullptr && rule->op == op.name &&
                           op.overloads[call.overload].name == rule->overload;
      if (call.variant == Variant::kFunctional && !by_rule) add(plan_by_backward(call));
    }
  }
  return plans;
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
  const OperatorInfo* const named = find_operator(parsed.name);
  if (named != nullptr && computed_by_gradients_of(*named).empty()) {
    return name + " cannot be tested: of " + names_of(operators_with_gradient(operators())) +
           " the gradients are, not of " + parsed.name;
  }
  const OperatorInfo* of = nullptr;
  // The nearest first: requested itself, or of which a gradient computes one that is.
  std::vector<const OperatorInfo*> near = operators_with_gradient(requested),
                                   any = operators_with_gradient(operators()), own = near;
  std::erase_if(own, [&](const OperatorInfo* op) { return !is_among(op->name, requested); });
  std::string error;
  for (const auto& candidates : {own, near, any}) {
    error = find_computed(kernel, parsed, handles, candidates, of);
    if (error.empty()) break;
  }
  if (!error.empty()) return error;
  const std::vector<const OperatorInfo*> computed = computed_by_gradients_of(*of);
  const auto is_requested = [&](const OperatorInfo* op) { return is_among(op->name, requested); };
  if (std::ranges::none_of(computed, is_requested))
    return not_requested(name, "computes " + either_of(computed), requested);
  const auto add = [&](int device) {
    const bool on_gpu = device >= 0, is_custom = parsed.space != "aten";
    Implementation implementation{
        .name = name + (on_gpu ? gpu_suffix(device) : ""),
        .device = device,
        .custom = is_custom,
        .illegal = IllegalCases::kNone,
        .is_gradient = true,
        .plans = gradient_plans(handles, *of, requested, is_custom, on_gpu)};
    const bool any = !implementation.plans.empty();
    if (any) resolved.implementations.push_back(std::move(implementation));
    return any;
  };
  const bool added_on_cpu = devices.on_cpu && add(-1);
  const bool added_on_gpu = devices.gpu >= 0 && add(devices.gpu);
  for (const OperatorInfo* op : computed) {
    if ((added_on_cpu || added_on_gpu) && parsed.space != "aten" && !is_requested(op))
      resolved.left_out.push_back("what " + name + " computes of " + std::string(op->name) +
                                  "; name that operator, too, to test it");
  }
  if (added_on_cpu || added_on_gpu) return "";
  if (!has_functional_plan(handles, *of)) {
    return name + " cannot be tested: " + kernel + " has no functional schema, " +
           expected_schemas(*of, Variant::kFunctional);
  }
  return name + " cannot be tested: " + kernel +
         " registers no gradient; register one for the Autograd dispatch key, in Python by "
         "register_autograd";
}

std::vector<std::string> untested_gradients(std::span<const Implementation> implementations) {
  return untested(implementations, {.prefix = kGradientPrefix}, "the gradient",
                  [](const Plan& plan) {
                    return (rule_of(plan.op->name) != nullptr || has_backward(*plan.op)) &&
                           plan.handle->hasKernelForDispatchKey(c10::DispatchKey::Autograd);
                  });
}

}  // namespace indexfuzz
