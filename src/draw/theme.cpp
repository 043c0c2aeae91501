#include "draw/theme.h"

#include <algorithm>

#include "draw/attributes.h"
#include "draw/sizes.h"

namespace indexfuzz {
namespace {

/// Gives the shape the dimensions that the operator needs: those of repair() would have size 1.
void add_dimensions(Choices& choices, int least, Dims& shape) {
  while (rank(shape) < least) {
    const std::int64_t elements = numel(shape), most = elements > 4096 ? 1 : elements > 64 ? 6 : 24;
    shape.insert(shape.begin() + choices.below(static_cast<std::uint32_t>(shape.size()) + 1),
                 draw_size(choices, most));
  }
}

void draw_attributes(Choices& choices, const Overload& overload, const Theme& theme, Case& c) {
  for (std::size_t a = 0; a < c.attributes.size(); ++a) {
    c.attributes[a] = a < overload.attributes.size()
                          ? draw_attribute(choices, overload.attributes[a], theme.shape,
                                           theme.size != CaseSize::kUsual)
                          : 0;
  }
}

/// The dimension of self that the call works along.
std::optional<std::size_t> named_dim(const Case& c, int rank) {
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const AttributeType type = attributes[a].type;
    if (is_dim(type) && type != AttributeType::kNewDim && c.attributes[a] != kNoInt)
      return static_cast<std::size_t>(wrapped_dim(c.attributes[a], nameable_dims(type, rank)));
  }
  return std::nullopt;
}

bool takes_indices(const Overload& overload) {
  return std::ranges::any_of(overload.operands, [](const OperandSpec& spec) {
    return spec.role == Role::kIndex || spec.role == Role::kIndexOrMask;
  });
}

/// `threads`: how many the call may use.
CaseSize draw_case_size(Choices& choices, const Overload& overload, bool gpu, int threads) {
  constexpr int kBits = 18;
  const std::uint32_t way = choices.bits(kBits);
  // On the CPU a huge case takes as long as ten thousand usual ones, one of many indices as long as
  // a hundred. A custom kernel that waits for the GPU runs a thousand cases a second; within a
  // minute it should meet more elements than a limited grid has threads.
  if (way < (gpu ? 16 : 2)) return CaseSize::kHuge;
  if (way >= (1u << kBits) - (gpu ? 256 : 64) && takes_indices(overload))
    return CaseSize::kManyIndices;
  return threads > 1 && choices.one_in(64) ? CaseSize::kLarge : CaseSize::kUsual;
}

/// A shape of rank 1 or 2 with one dimension of a usual size or of some thousands. The other one
/// has size 1 or, if the limits allow more than kUsualElements, 1 to 8.
Dims draw_narrow_shape(Choices& choices, int max_rank, std::int64_t max_elements) {
  const std::int64_t size = choices.one_in(4) ? draw_middle_size(choices) : draw_size(choices, 300);
  if (max_rank == 1 || choices.one_in(2)) return {size};
  const bool wide = max_elements > kUsualElements;
  Dims shape(2, wide ? 1 + choices.below(8) : 1);
  shape[choices.below(2)] = size;
  return shape;
}

/// The entries of an index list: how many, and which of them are None.
struct Entries {
  std::size_t size;
  std::uint32_t gaps;  ///< as DrawnList has them
};

/// Draws which of `size` entries are gaps, or more entries, up to `most`, with gaps among them.
Entries draw_gaps(Choices& choices, std::size_t size, std::uint32_t most) {
  // At least one entry is a tensor.
  const auto with_tensor = [&](std::size_t entries, std::uint32_t gaps) {
    return Entries{entries, gaps & ~(1u << choices.below(entries))};
  };
  if (size == 1 && most >= 2 && choices.one_in(4)) {
    // A tensor alone that does not index the first dimension, as in x[:, index].
    size = 2 + choices.below(most - 1);
    return {size, (1u << (size - 1)) - 1};
  }
  if (most >= 3 && choices.one_in(4)) {
    // Tensors and gaps in any order.
    size = 2 + choices.below(most - 1);
    const int bits = static_cast<int>(size);
    return with_tensor(size, choices.bits(bits) & choices.bits(bits));
  }
  if (size == 2 && most >= 3 && choices.one_in(3)) {
    // Two tensors with a gap between them, sometimes with one in front: the dimensions of the
    // broadcast index then come first in the result, instead of in place of the indexed ones.
    const bool before = most >= 4 && choices.one_in(2);
    return before ? Entries{4, 0b0101} : Entries{3, 0b0010};
  }
  if (choices.one_in(128)) return {size, (1u << size) - 1};
  const int bits = static_cast<int>(size);
  return with_tensor(size, choices.bits(bits) & choices.bits(bits) & choices.bits(bits));
}

Dims draw_index_theme(Choices& choices) {
  const std::uint32_t way = choices.below(8);
  Dims theme(way < 5 ? 1 : way < 6 ? 2 : way < 7 ? 0 : 3);
  if (way == 7 && choices.one_in(4)) theme.resize(4 + choices.below(2));
  std::int64_t budget = choices.one_in(64) ? 1100 : 70;
  for (std::int64_t& size : theme) {
    size = draw_size(choices, budget);
    budget /= size;
  }
  if (choices.one_in(40) && !theme.empty()) theme[0] = 0;
  return theme;
}

DrawnList draw_index_list(Choices& choices, const Theme& theme) {
  const auto most = static_cast<std::uint32_t>(
      std::clamp<int>(rank(theme.shape), 1, theme.limits.max_list_entries));
  std::size_t tensors = 1;
  while (tensors < most && choices.below(8) < 3) ++tensors;
  const auto [size, gaps] = draw_gaps(choices, tensors, most);
  const bool is_large = numel(theme.shape) > 32768 && !theme.few_indices;
  Dims shape = theme.size == CaseSize::kManyIndices || is_large
                   ? draw_large_shape(choices, theme.limits.max_rank)
                   : draw_index_theme(choices);
  return {.size = size, .gaps = gaps, .theme = shape};
}

/// How many tensors are put together: mostly 1 to 3.
std::size_t draw_value_count(Choices& choices) {
  return choices.one_in(8) ? 4 + choices.below(5) : 1 + choices.below(3);
}

}  // namespace

Dims draw_operand_shape(Choices& choices, CaseSize size, int max_rank) {
  switch (size) {
    case CaseSize::kHuge: return draw_huge_shape(choices, max_rank);
    case CaseSize::kLarge: return draw_large_shape(choices, max_rank);
    case CaseSize::kUsual:
    case CaseSize::kManyIndices: break;
  }
  return draw_shape(choices, max_rank);
}

Theme draw_theme(Choices& choices, const Limits& widest, Case& c) {
  const Overload& overload = overload_of(c);
  Theme theme{};
  const CaseSize size = draw_case_size(choices, overload, widest.gpu, c.environment.threads);
  const bool wide = size == CaseSize::kHuge || (size == CaseSize::kManyIndices && widest.gpu);
  const Limits limits = wide ? widest : usual(widest);
  theme.size = size;
  theme.limits = limits;
  theme.shape = size == CaseSize::kManyIndices
                    ? draw_narrow_shape(choices, limits.max_rank, limits.max_elements)
                    : draw_operand_shape(choices, size, limits.max_rank);
  if (size == CaseSize::kUsual) add_dimensions(choices, operator_of(c).least_rank, theme.shape);
  draw_attributes(choices, overload, theme, c);
  theme.dim = named_dim(c, rank(theme.shape));
  // Along a dimension of size 1 every index is 0.
  if (theme.dim && *theme.dim < theme.shape.size() && theme.shape[*theme.dim] == 1 &&
      !choices.one_in(4))
    theme.shape[*theme.dim] = 2 + choices.below(6);
  theme.dtype = draw_dtype(choices, limits.dtypes);
  if (limits.strided && rank(theme.shape) > 1 && choices.one_in(16))
    theme.order = draw_shared_order(choices, rank(theme.shape));
  theme.few_indices = numel(theme.shape) > 32768 && choices.one_in(2);
  theme.has_index_list = lists_indices(overload);
  if (theme.has_index_list) theme.list = draw_index_list(choices, theme);
  if (lists_values(overload)) theme.list.size = draw_value_count(choices);
  return theme;
}

}  // namespace indexfuzz
