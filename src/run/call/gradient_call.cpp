#include "run/call/gradient_call.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace indexfuzz::gradients {
namespace {

using at::Tensor;
using c10::IValue;

/// ATen's name of an argument of the call.
std::string_view name_of(const Plan& call, const Argument& argument) {
  const Overload& overload = call.op->overloads[call.overload];
  const auto is_list = [&](const Parameter& parameter) {
    return (parameter.kind == Parameter::Kind::kAttributeList ||
            parameter.kind == Parameter::Kind::kResultShape) &&
           parameter.slot == argument.slot;
  };
  switch (argument.source) {
    case Argument::Source::kAttribute: return overload.attributes[argument.slot].name;
    case Argument::Source::kAttributeList:
    case Argument::Source::kResultShape:
      return std::ranges::find_if(overload.parameters, is_list)->name;
    default: return overload.operands[argument.slot].name;
  }
}

/// What an argument of the plan's schema is given.
const IValue& value_of(const Plan& call, const Argument& argument,
                       std::span<const NamedArgument> named) {
  const std::string_view name = name_of(call, argument);
  const auto found = std::ranges::find(named, name, &NamedArgument::name);
  TORCH_INTERNAL_ASSERT(found != named.end(), "the rule of a gradient gives no ", name);
  return found->value;
}

/// What argument `i` of the call's schema is called with.
const IValue& argument_value(const Plan& call, std::size_t i,
                             std::span<const NamedArgument> named) {
  const Argument& argument = call.arguments[i];
  switch (argument.source) {
    case Argument::Source::kConstant:
    case Argument::Source::kGiven:
    case Argument::Source::kZeros: return argument.constant;
    case Argument::Source::kNothing: {
      // What no case has may matter to a gradient.
      const std::string& name = call.handle->schema().arguments()[i].name();
      const auto found = std::ranges::find(named, name, &NamedArgument::name);
      return found == named.end() ? argument.constant : found->value;
    }
    default: return value_of(call, argument, named);
  }
}

}  // namespace

void require(bool is_supported, const char* what) {
  TORCH_CHECK_NOT_IMPLEMENTED(is_supported, "the gradient is not implemented for ", what);
}

Tensor call_operator(const Plan& call, std::span<const NamedArgument> named) {
  for (const LackingArgument& lacking : call.lacking) {
    require(value_of(call, lacking.argument, named) == lacking.by_default,
            "an argument that the schema lacks");
  }
  torch::jit::Stack stack;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    stack.push_back(argument_value(call, i, named));
  call.handle->callBoxed(stack);
  return stack.at(call.judged.value_or(0)).toTensor();
}

Tensor gradient(const Plan& call, const Tensor& x, NamedArguments named,
                c10::function_ref<Tensor(const Tensor&)> grad_of) {
  require(x.is_floating_point() || x.is_complex(), "integers");
  const at::AutoGradMode enable(true);
  x.requires_grad_();
  const Tensor y = call_operator(call, std::span(named.begin(), named.size()));
  return torch::autograd::grad({y}, {x}, {grad_of(y)}).at(0).clone();
}

Tensor gradient(const Plan& call, const Tensor& x, NamedArguments named, const Tensor& grad) {
  return gradient(call, x, named, [&](const Tensor& y) { return grad.reshape(y.sizes()); });
}

}  // namespace indexfuzz::gradients
