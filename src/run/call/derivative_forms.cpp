#include "run/call/derivative_forms.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_make_dual.h>
#include <ATen/ops/_unpack_dual.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "case/strings/replace_all.h"
#include "run/call/backward_requirements.h"
#include "run/call/call_text.h"
#include "run/call/each_tensor.h"
#include "run/call/gradient_call.h"
#include "run/call/gradient_parts.h"

namespace indexfuzz {
namespace {

using at::Tensor;
using c10::IValue;
using gradients::require;
using Arguments = std::span<IValue>;

/// While it lives, tensors may have tangents.
class DualLevel {
 public:
  DualLevel() : index_(torch::autograd::forward_ad::enter_dual_level()) {}
  DualLevel(const DualLevel&) = delete;
  DualLevel& operator=(const DualLevel&) = delete;
  ~DualLevel() { torch::autograd::forward_ad::exit_dual_level(index_); }

  std::int64_t index() const { return static_cast<std::int64_t>(index_); }

 private:
  std::uint64_t index_;
};

// The most elements of a result that are recomputed, and the most elements of operands for that.
constexpr std::int64_t kMostRows = 48;
constexpr std::int64_t kMostColumns = 4096;

bool is_differentiable(const Tensor& tensor) {
  return tensor.is_floating_point() || tensor.is_complex();
}

/// Throws unless the call is linear: reductions other than sums are not.
void require_linear(Arguments arguments) {
  require(std::ranges::none_of(
              arguments, [](const IValue& a) { return a.isString() && a.toStringRef() != "sum"; }),
          "reductions that are not linear");
}

/// Adds the constant part of a result to its linear part. `at_zeros`: the result with zeros for the
/// differentiable operands. It holds what comes from elsewhere, such as a filled value or the
/// integers that a concatenation promotes, and zeros otherwise.
Tensor with_constants(const Tensor& linear, const Tensor& at_zeros) {
  require(!gradients::holds_negative_zero(at_zeros), "a constant -0");
  return at::where(at::logical_and(at_zeros != 0, linear == 0), at_zeros, linear);
}

using Call = c10::function_ref<Tensor(std::span<const IValue>)>;

/// Makes the call with `change(tensor)` in place of each differentiable tensor.
template <typename Change>
Tensor call_with(Call call, Arguments arguments, const Change& change) {
  bool any = false;
  for (IValue& argument : arguments) {
    argument = each_tensor(argument, [&](const Tensor& tensor) {
      if (!is_differentiable(tensor)) return tensor;
      any = true;
      return change(tensor);
    });
  }
  require(any, "integers");
  try {
    return call(arguments);
  } catch (const c10::Error& error) {
    const std::string_view message = error.what_without_backtrace();
    require(message.find("Trying to use forward AD") == std::string_view::npos, "this call");
    require(message.find("Autograd not support dtype") == std::string_view::npos &&
                message.find("complex dtype can require gradients") == std::string_view::npos,
            "integers");
    throw;
  }
}

/// A call at zeros that can be differentiated.
struct CallAtZeros {
  CallAtZeros(std::string_view op, Arguments arguments, bool in_place, Call call) {
    require_linear(arguments);
    require_backward(op, arguments);
    y = call_with(call, arguments, [&](const Tensor& tensor) {
      operands.push_back(tensor);
      zeros.push_back(at::zeros_like(tensor).requires_grad_());
      // A leaf is not written.
      return in_place && operands.size() == 1 ? zeros.back().clone() : zeros.back();
    });
    require(is_differentiable(y), "integers");
    for (const Tensor& operand : operands)
      gradients::require_exact_in_sums(operand, y.is_complex());
  }

  std::vector<Tensor> operands;  ///< those that are differentiable
  std::vector<Tensor> zeros;     ///< parallel to them: passed in their place
  Tensor y;
};

Tensor by_double_backward(const CallAtZeros& call) {
  const Tensor y = call.y.detach(), grad = at::zeros_like(y).requires_grad_();
  const std::vector<Tensor> of_operands =
      torch::autograd::grad({call.y}, call.zeros, {grad}, std::nullopt, true, true);
  std::vector<Tensor> differentiable, directions;
  for (std::size_t k = 0; k < of_operands.size(); ++k) {
    if (!of_operands[k].defined() || !of_operands[k].requires_grad()) continue;
    differentiable.push_back(of_operands[k]);
    directions.push_back(call.operands[k]);
  }
  Tensor linear;
  if (!differentiable.empty())
    linear =
        torch::autograd::grad(differentiable, {grad}, directions, std::nullopt, false, true)[0];
  return with_constants(linear.defined() ? linear.clone() : at::zeros_like(y), y);
}

/// The weights by which the elements of all operands, one operand after the other, enter element
/// `i` of the result: the gradient for a one-hot gradient of the result.
Tensor weights_of(const CallAtZeros& call, std::int64_t i) {
  const Tensor grad = at::zeros(call.y.sizes(), call.y.options());
  grad.view({-1})[i].fill_(1);
  std::vector<Tensor> parts =
      torch::autograd::grad({call.y}, call.zeros, {grad}, true, false, true);
  for (Tensor& part : parts) {
    require(part.defined(), "an operand that has no gradient");  // a kernel may say so
    // PyTorch's gradient of w * z is the conjugate of w.
    part = part.to_dense().reshape({-1}).to(call.y.scalar_type()).conj().resolve_conj();
  }
  return at::cat(parts);
}

/// What the kernel returns while its gradient is recorded.
Tensor recorded_result(std::vector<IValue> arguments, Call kernel) {
  return call_with(kernel, arguments,
                   [](const Tensor& tensor) { return tensor.detach().requires_grad_(); })
      .detach();
}

/// What it returns otherwise.
Tensor plain_result(std::span<const IValue> arguments, Call kernel) {
  const at::NoGradGuard without_gradients;
  return kernel(arguments);
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         at::logical_or(a == b, at::logical_and(a != a, b != b)).all().item<bool>();
}

/// The elements of all operands, one after the other.
Tensor values_of(std::span<const Tensor> operands, at::ScalarType dtype) {
  std::vector<Tensor> parts;
  for (const Tensor& operand : operands) parts.push_back(operand.reshape({-1}).to(dtype));
  return at::cat(parts);
}

/// Elements of a result by their numbers: all, or the first, the last, and some between them.
Tensor spread_rows(const Tensor& result) {
  const std::int64_t count = std::min(result.numel(), kMostRows), gaps = count > 1 ? count - 1 : 1;
  const Tensor numbers = at::arange(count, result.options().dtype(at::kLong));
  return (numbers * (result.numel() - 1)).floor_divide(gaps);
}

/// Replaces ATen's arguments on the stack by compute(name, arguments, in_place, call). An in-place
/// call works on a copy of the first operand, into which the result is then written.
template <typename Compute>
void call_by(const c10::OperatorHandle& op, torch::jit::Stack& stack, const Compute& compute) {
  const Arguments arguments = std::span(stack).last(op.schema().arguments().size());
  const IValue first = arguments[0];
  const bool in_place = op.schema().is_mutable({c10::SchemaArgType::input, 0});
  if (in_place) arguments[0] = first.toTensor().clone();
  std::string_view name = op.schema().name();
  name.remove_prefix(std::string_view("aten::").size());
  if (in_place) name.remove_suffix(1);
  const auto call = [&](std::span<const IValue> changed) {
    torch::jit::Stack called(changed.begin(), changed.end());
    op.callBoxed(called);
    return called.at(0).toTensor();
  };
  const Tensor result = compute(name, arguments, in_place, Call(call));
  torch::jit::drop(stack, arguments.size());
  stack.emplace_back(in_place ? first.toTensor().copy_(result) : result);
}

}  // namespace

void call_in_forward_mode(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  call_by(op, stack, [](std::string_view name, Arguments arguments, bool, Call call) {
    require_linear(arguments);
    // The derivative of a product at ones is the sum of the directions.
    const bool is_product = name == "scatter_reduce" && arguments[1].toInt() < 0;
    if (is_product) arguments[4] = "prod";
    const DualLevel level;
    const Tensor y = call_with(call, arguments, [&](const Tensor& tensor) {
      return at::_make_dual(at::full_like(tensor, is_product ? 1 : 0), tensor, level.index());
    });
    const auto [primal, tangent] = at::_unpack_dual(y, level.index());
    const Tensor linear = tangent.defined() ? tangent.clone() : at::zeros_like(primal);
    return is_product ? linear : with_constants(linear, primal);
  });
}

void call_by_double_backward(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const at::AutoGradMode enable(true);
  call_by(op, stack, [](std::string_view name, Arguments arguments, bool in_place, Call call) {
    return by_double_backward(CallAtZeros(name, arguments, in_place, call));
  });
}

Tensor result_by_backward(std::string_view op, std::vector<IValue> arguments, Call kernel) {
  const at::AutoGradMode enable(true);
  const Tensor recorded = recorded_result(arguments, kernel);
  if (!is_same(recorded, plain_result(arguments, kernel))) return recorded;
  const CallAtZeros call(op, arguments, false, kernel);
  const Tensor values = values_of(call.operands, call.y.scalar_type());
  if (recorded.numel() == 0 || values.numel() == 0 || values.numel() > kMostColumns)
    return recorded;
  const Tensor rows = spread_rows(recorded),
               y = call.y.detach().reshape({-1}).index_select(0, rows);
  std::vector<Tensor> gradients;
  for (std::int64_t i = 0; i < rows.numel(); ++i)
    gradients.push_back(weights_of(call, rows[i].item<std::int64_t>()));
  const Tensor weights = at::stack(gradients), is_taken = weights != 0;
  // An element that is taken as it is keeps its bits, which a sum may change.
  const Tensor place = is_taken.to(at::kByte).argmax(1, true);
  const Tensor is_one =
      at::logical_and(is_taken.sum(1) == 1, weights.gather(1, place).squeeze(1) == 1);
  const Tensor sums = at::where(is_taken, weights * values, 0).sum(1).to(y.scalar_type());
  const Tensor elements = at::where(is_one, values.index_select(0, place.squeeze(1)), sums);
  return recorded.reshape({-1})
      .index_copy(0, rows, with_constants(elements, y))
      .view(recorded.sizes());
}

std::string forward_mode_python(const Plan& plan, std::string_view call) {
  std::string text = called_or_written_by("in_forward_mode", plan, call);
  if (plan.op->name == "scatter_reduce") {
    replace_all(text, "{reduce}", "('prod' if {dim} < 0 else {reduce})");
    text.insert(text.size() - 1, ", at=int({dim} < 0)");
  }
  return text;
}

std::string double_backward_python(const Plan& plan, std::string_view call) {
  return called_or_written_by("by_double_backward", plan, call);
}

std::string backward_python(const Plan& plan, std::string_view call) {
  return called_by("by_backward", plan, call);
}

}  // namespace indexfuzz
