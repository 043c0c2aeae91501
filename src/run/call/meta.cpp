#include "run/call/meta.h"

#include <ATen/core/function_schema.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/verdict.h"
#include "run/call/call_text.h"
#include "run/call/each_tensor.h"

namespace indexfuzz {
namespace {

/// An argument and what stands for it on "meta".
using Pairs = std::vector<std::pair<at::Tensor, at::Tensor>>;

/// One tensor may be several arguments: self is `out`.
at::Tensor meta_of(const at::Tensor& tensor, Pairs& pairs) {
  const auto known =
      std::ranges::find_if(pairs, [&](const auto& pair) { return pair.first.is_same(tensor); });
  if (known != pairs.end()) return known->second;
  at::Tensor meta =
      at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
  pairs.emplace_back(tensor, meta);
  return meta;
}

at::Tensor result_of(const at::Tensor& meta, const Pairs& pairs) {
  // Of tensors without data a tensor without data is made: any other is on the wrong device.
  if (!meta.is_meta()) return meta.to(at::kMeta);
  const auto argument =
      std::ranges::find_if(pairs, [&](const auto& pair) { return pair.second.is_same(meta); });
  if (argument == pairs.end())
    return at::zeros(meta.sizes(), meta.options().device(pairs.front().first.device()));
  const at::Tensor& tensor = argument->first;
  if (tensor.sizes() != meta.sizes()) tensor.resize_(meta.sizes());
  return tensor;
}

/// Whether PyTorch says that a call needs data, or that nobody said what it does without.
bool needs_data(std::string_view message) {
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"meta tensor", "no fake impl or Meta kernel registered",
                                      "NotImplementedError"},
      [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

/// Whether the operator returns one fresh tensor.
bool is_functional(const c10::FunctionSchema& schema) {
  const auto is_written = [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  };
  return schema.returns().size() == 1 && std::ranges::none_of(schema.arguments(), is_written);
}

/// The result of the call with data; undefined if there is none, which is not the question here.
at::Tensor called_with_data(const c10::OperatorHandle& op, torch::jit::Stack arguments) {
  try {
    op.callBoxed(arguments);
    return arguments.at(0).toTensor();
  } catch (const std::exception&) {
    return {};
  }
}

/// Strides of dimensions of size 1, and of tensors without elements, do not count.
bool has_strides_of(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.numel() == 0) return true;
  for (std::int64_t d = 0; d < a.dim(); ++d) {
    if (a.size(d) > 1 && a.stride(d) != b.stride(d)) return false;
  }
  return true;
}

}  // namespace

void call_on_meta(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  Pairs pairs;
  const auto arguments = std::span(stack).last(op.schema().arguments().size());
  const torch::jit::Stack with_data(arguments.begin(), arguments.end());
  for (c10::IValue& argument : arguments) {
    argument =
        each_tensor(argument, [&](const at::Tensor& tensor) { return meta_of(tensor, pairs); });
  }
  try {
    op.callBoxed(stack);
  } catch (const std::exception& error) {  // Python's are none of PyTorch's
    const auto* const own = dynamic_cast<const c10::Error*>(&error);
    const std::string message = own == nullptr ? error.what() : own->what_without_backtrace();
    TORCH_CHECK_NOT_IMPLEMENTED(!needs_data(message), "not implemented for meta: ", message);
    throw;
  }
  if (is_functional(op.schema()) && stack.back().isTensor()) {
    const at::Tensor& meta = stack.back().toTensor();
    const at::Tensor right = called_with_data(op, with_data);
    TORCH_CHECK(!right.defined() || has_strides_of(meta, right), kOtherStrides, meta.strides(),
                ", with data ", right.strides());
  }
  for (c10::IValue& result : std::span(stack).last(op.schema().returns().size()))
    result = each_tensor(result, [&](const at::Tensor& meta) { return result_of(meta, pairs); });
}

std::string meta_python(const Plan& plan, std::string_view call) {
  return called_by("on_meta", plan, call);
}

}  // namespace indexfuzz
