#include "run/call/vmap.h"

#include <ATen/core/function_schema.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "run/call/call_text.h"
#include "run/call/each_tensor.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kLargest = 1 << 20;

/// While it lives, calls with batched tensors are made for the whole batch.
class VmapLayer {
 public:
  explicit VmapLayer(std::int64_t batch)
      : level_(at::functorch::initAndPushDynamicLayer(at::functorch::TransformType::Vmap,
                                                      c10::SymInt(batch),
                                                      at::functorch::RandomnessType::Error)) {}
  VmapLayer(const VmapLayer&) = delete;
  VmapLayer& operator=(const VmapLayer&) = delete;
  ~VmapLayer() { at::functorch::popDynamicLayerAndDeleteMetadata(); }

  std::int64_t level() const { return level_; }

 private:
  std::int64_t level_;
};

/// The batches of one vmap.
struct Level {
  std::int64_t batch;  ///< its size, 2 or 3
  std::int64_t place;  ///< of the call that is under test: the first or the last of the batch
  /// For each tensor among the arguments the place of its batch dimension: 0, -1 for the last, or
  /// 1, which means the last one of a tensor without more dimensions. None: it has none.
  std::vector<std::optional<std::int64_t>> dims;
};

/// The tensors among the arguments.
struct Tensors {
  at::Tensor first;
  std::size_t count = 0;
  std::size_t in_first = 0;  ///< in the first argument that is or holds any
  bool first_is_written = false;
};

/// Which of the first, second and third tensor, and so on again, has a batch (b). With the choices
/// that calls of two tensors know (all, the first alone, the others alone) these are all.
constexpr std::array<std::string_view, 5> kOfThree{"-b-", "--b", "-bb", "b-b", "bb-"};

/// Of three tensors or more, in one of three cases, any others than the first may have batches.
std::optional<std::string_view> kind_of_three(const Tensors& tensors) {
  const std::int64_t elements = tensors.first.numel();
  if (tensors.count <= 2 || tensors.count == tensors.in_first || elements < 6 || elements % 3 != 0)
    return std::nullopt;
  return kOfThree[static_cast<std::size_t>(elements / 3 - 2) % kOfThree.size()];
}

/// The level of call_under_vmap(). A first tensor with few elements, so that a minimal case is
/// small, meets each choice of tensors; only more elements put the batch dimension at the other end
/// or second. `under_vmap` of the programs decides by the same rule. What is written must have a
/// batch dimension.
Level only_level(const Tensors& tensors) {
  const std::int64_t elements = tensors.first.numel();
  const std::int64_t last = tensors.first.dim() > 2 ? -1 : 0;
  std::optional<std::int64_t> first(last), others;
  if (tensors.count > tensors.in_first) {
    switch (elements % 3) {
      case 0:
        first = tensors.first_is_written ? std::optional<std::int64_t>(0) : std::nullopt;
        others = last;
        break;
      case 1:
        first = 0;
        others = last;
        break;
      default: first = -1 - last;
    }
  }
  const std::int64_t batch = 2 + elements / 6 % 2;
  Level level{batch, elements / 3 % 2 == 0 ? batch - 1 : 0, {}};
  for (std::size_t t = 0; t < tensors.count; ++t)
    level.dims.push_back(t < tensors.in_first ? first : others);
  if (const std::optional<std::string_view> kind = kind_of_three(tensors)) {
    for (std::size_t t = 0; t < tensors.count; ++t) {
      const bool has_batch =
          (*kind)[t % kind->size()] == 'b' || (t == 0 && tensors.first_is_written);
      level.dims[t] = has_batch ? std::optional(last) : std::nullopt;
    }
  }
  const std::int64_t moved = elements / 24 % 3;
  for (std::optional<std::int64_t>& dim : level.dims) {
    if (dim && moved == 1) dim = -1 - *dim;
    if (dim && moved == 2) dim = 1;
  }
  return level;
}

/// Which vmap adds a batch dimension to the first, second and third tensor, and so on again: the
/// inner (i) or outer one (o), both (b) or none (-). A vmap that adds none to any adds one to the
/// first.
constexpr std::array<std::string_view, 8> kNested{"oii", "ioo", "o-i", "-oi",
                                                  "bi-", "obi", "i-o", "i-b"};

/// The inner and the outer level. `under_nested_vmap` of the programs decides by the same rule.
std::array<Level, 2> nested_levels(const Tensors& tensors) {
  const std::int64_t elements = tensors.first.numel();
  const std::int64_t last = tensors.first.dim() > 2 ? -1 : 0;
  const std::string_view kind = kNested[static_cast<std::size_t>(elements) % kNested.size()];
  const std::int64_t inner = 2 + elements / 6 % 2, outer = 5 - inner;
  const bool inner_is_last = elements / 3 % 2 == 0;
  std::array<Level, 2> levels{
      {{inner, inner_is_last ? inner - 1 : 0, {}}, {outer, inner_is_last ? 0 : outer - 1, {}}}};
  for (std::size_t l = 0; l < levels.size(); ++l) {
    std::vector<std::optional<std::int64_t>>& dims = levels[l].dims;
    for (std::size_t t = 0; t < tensors.count; ++t) {
      const char has = kind[t % kind.size()];
      if (has == 'b' || has == "io"[l] || (t == 0 && tensors.first_is_written))
        dims.emplace_back((t + l) % 2 == 0 ? 0 : last);
      else
        dims.emplace_back();
    }
    if (std::ranges::none_of(dims, [](const auto& dim) { return dim.has_value(); })) dims[0] = last;
  }
  return levels;
}

Tensors tensors_of(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments) {
  Tensors tensors;
  for (const c10::IValue& argument : arguments) {
    const bool is_first = tensors.count == 0;
    each_tensor(argument, [&](const at::Tensor& tensor) {
      if (tensors.count++ == 0) tensors.first = tensor;
      return tensor;
    });
    if (is_first) tensors.in_first = tensors.count;
  }
  tensors.first_is_written = op.schema().is_mutable({c10::SchemaArgType::input, 0});
  return tensors;
}

bool has_offsets(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (op.schema().arguments()[k].name() == "offsets" && arguments[k].isTensor()) return true;
  }
  return false;
}

/// Whether the argument is or holds a number so large that a batching rule, which may make a tensor
/// with as many elements, takes all memory.
bool is_large(const c10::IValue& argument) {
  const auto is_large_number = [](std::int64_t n) { return n < -kLargest || n > kLargest; };
  if (argument.isInt()) return is_large_number(argument.toInt());
  return argument.isIntList() && std::ranges::any_of(argument.toIntVector(), is_large_number);
}

/// The operand of the other entries of a batch: as legal, but with other elements, so that a result
/// made of them is noticed. A single position may be the only legal one, and stays.
at::Tensor other_of_batch(const at::Tensor& tensor) {
  if (tensor.numel() == 1)
    return at::isIntegralType(tensor.scalar_type(), false) ? tensor : at::zeros_like(tensor);
  std::vector<std::int64_t> dims(static_cast<std::size_t>(tensor.dim()));
  std::iota(dims.begin(), dims.end(), 0);
  return tensor.flip(dims);
}

at::Tensor in_batch(const at::Tensor& tensor, std::int64_t dim, const Level& level) {
  std::vector<at::Tensor> batch(static_cast<std::size_t>(level.batch), other_of_batch(tensor));
  batch[static_cast<std::size_t>(level.place)] = tensor;
  return at::stack(batch, std::min(dim, tensor.dim()));
}

/// Replaces each tensor that the level has batches of by change(tensor, dim).
template <typename Change>
void each_batched(std::span<c10::IValue> arguments, const Level& level, const Change& change) {
  std::size_t t = 0;
  for (c10::IValue& argument : arguments) {
    argument = each_tensor(argument, [&](const at::Tensor& tensor) {
      const std::optional<std::int64_t> dim = level.dims[t++];
      return dim ? change(tensor, *dim) : tensor;
    });
  }
}

at::Tensor of_batch(const at::Tensor& result, std::int64_t id, const Level& level) {
  const auto* const batched = at::functorch::maybeGetBatchedImpl(result);
  if (batched == nullptr || batched->level() != id) return result;
  const at::Tensor& value = batched->value();
  // A batch of another size is left as it is: a result with a dimension too many.
  return value.size(batched->bdim()) == level.batch ? value.select(batched->bdim(), level.place)
                                                    : value;
}

/// Calls the operator under one vmap for each level, the first of them innermost. The arguments
/// have the batch dimensions. Leaves the results for the entry `place` of each level.
void call_in_levels(const c10::OperatorHandle& op, torch::jit::Stack& stack,
                    std::span<const Level> levels) {
  if (levels.empty()) {
    op.callBoxed(stack);
    return;
  }
  const Level& level = levels.back();
  std::int64_t id = 0;
  {
    const VmapLayer layer(level.batch);
    id = layer.level();
    each_batched(std::span(stack).last(op.schema().arguments().size()), level,
                 [id](const at::Tensor& tensor, std::int64_t dim) {
                   const std::int64_t last = tensor.dim() - 1;
                   return at::functorch::addBatchDim(tensor, dim < 0 ? last : std::min(dim, last),
                                                     id);
                 });
    call_in_levels(op, stack, levels.first(levels.size() - 1));
  }
  for (c10::IValue& result : std::span(stack).last(op.schema().returns().size()))
    result =
        each_tensor(result, [&](const at::Tensor& tensor) { return of_batch(tensor, id, level); });
}

/// Whether vmap says that it cannot batch a call, such as one whose result has a size that depends
/// on values. Not counted is the message that a written tensor lacks a batch dimension: it has one.
bool cannot_batch(std::string_view message) {
  if (message.find("is not possible because there exists a Tensor") != std::string_view::npos)
    return false;
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"vmap", "Batching rule not implemented",
                                      "does not yet have a batching rule"},
      [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

/// As call_under_vmap(), with the levels that `levels_of` makes of the tensors.
template <typename LevelsOf>
void call_batched(const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const LevelsOf& levels_of) {
  const auto arguments = std::span(stack).last(op.schema().arguments().size());
  const c10::IValue first = arguments[0];
  const Tensors tensors = tensors_of(op, arguments);
  TORCH_CHECK_NOT_IMPLEMENTED(tensors.count > 0, "not implemented for a batch of no tensor");
  TORCH_CHECK_NOT_IMPLEMENTED(std::ranges::none_of(arguments, is_large),
                              "not implemented for batches with such numbers");
  TORCH_CHECK_NOT_IMPLEMENTED(
      !has_offsets(op, arguments),
      "not implemented for batches of offsets, which are illegal in another order");
  const auto levels = levels_of(tensors);
  for (const Level& level : levels) {
    each_batched(arguments, level, [&](const at::Tensor& tensor, std::int64_t dim) {
      return in_batch(tensor, dim, level);
    });
  }
  try {
    call_in_levels(op, stack, levels);
  } catch (const c10::Error& error) {
    TORCH_CHECK_NOT_IMPLEMENTED(!cannot_batch(error.what_without_backtrace()),
                                "not implemented for batches: ", error.what_without_backtrace());
    throw;
  }
  // A copy: what a result shares with the rest of the batch does not matter.
  for (c10::IValue& result : std::span(stack).last(op.schema().returns().size()))
    result = each_tensor(result, [](const at::Tensor& tensor) { return tensor.clone(); });
  if (tensors.first_is_written) stack.back() = first.toTensor().copy_(stack.back().toTensor());
}

}  // namespace

void call_under_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  call_batched(op, stack, [](const Tensors& tensors) { return std::array{only_level(tensors)}; });
}

void call_under_nested_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  call_batched(op, stack, nested_levels);
}

std::string vmap_python(const Plan& plan, std::string_view call) {
  return called_or_written_by("under_vmap", plan, call);
}

std::string nested_vmap_python(const Plan& plan, std::string_view call) {
  return called_or_written_by("under_nested_vmap", plan, call);
}

}  // namespace indexfuzz
