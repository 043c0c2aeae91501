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

at::Tensor with_data(const at::Tensor& meta, const Pairs& pairs) {
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

/// Whether PyTorch says that a call needs data, or that nobody said what it does without; or fails
/// to say that it promotes no float8.
bool needs_data(std::string_view message) {
  return std::ranges::any_of(
      std::array<std::string_view, 4>{"meta tensor", "no fake impl or Meta kernel registered",
                                      "NotImplementedError", "KeyError: torch.float8"},
      [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

}  // namespace

void call_on_meta(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  Pairs pairs;
  for (c10::IValue& argument : std::span(stack).last(op.schema().arguments().size())) {
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
  for (c10::IValue& result : std::span(stack).last(op.schema().returns().size()))
    result = each_tensor(result, [&](const at::Tensor& meta) { return with_data(meta, pairs); });
}

std::string meta_python(const Plan& plan, std::string_view call) {
  return called_by("on_meta", plan, call);
}

}  // namespace indexfuzz
