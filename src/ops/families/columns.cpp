#include "ops/families/columns.h"

#include <algorithm>
#include <limits>
#include <span>

#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_shapes.h"

namespace indexfuzz {
namespace {

/// The attributes of a list: two, or one for both dimensions.
std::span<std::int64_t> numbers(Case& c, const Parameter& list) {
  return std::span(c.attributes).subspan(list.slot, list.count);
}
std::span<std::int64_t> numbers(Case& c, WindowList list) {
  return numbers(c, parameter_of(c, list));
}

/// The attribute of the height (0) or of the width (1).
std::int64_t& number_for(Case& c, WindowList list, std::size_t d) {
  return numbers(c, list)[std::min(d, numbers(c, list).size() - 1)];
}

bool has_elements(const Case& c) {
  return numel(c.operands[columns::kSelf].shape) > 0;
}

}  // namespace

constinit const DtypeSet column_dtypes =
    kFloats | set_of(Dtype::kBool) | set_of(Dtype::kComplexFloat) | set_of(Dtype::kComplexDouble);

const Parameter& parameter_of(const Case& c, WindowList list) {
  const auto parameters = overload_of(c).parameters;
  return parameters[parameters.size() - kWindowLists + static_cast<std::size_t>(list)];
}

Pair pair_of(const Case& c, const Parameter& parameter) {
  const std::size_t slot = parameter.slot;
  return {c.attributes[slot], c.attributes[slot + parameter.count - 1]};
}

PoolWindows column_windows(const Case& c, std::size_t d) {
  return {pair_of(c, WindowList::kKernelSize)[d],
          // 0 is illegal.
          std::max<std::int64_t>(pair_of(c, WindowList::kStride)[d], 1),
          pair_of(c, WindowList::kPadding)[d], pair_of(c, WindowList::kDilation)[d]};
}

Pair column_window_counts(const Case& c, const Pair& plane) {
  return {window_count(column_windows(c, 0), plane[0]),
          window_count(column_windows(c, 1), plane[1])};
}

void settle_column_windows(Case& c, const Pair& plane) {
  // As many shall be padded as not.
  constexpr std::int64_t kPaddings = 8, kMostPadding = 4;
  for (std::int64_t& padding : numbers(c, WindowList::kPadding)) {
    padding = std::max<std::int64_t>(padding, 0) % kPaddings;
    if (padding > kMostPadding) padding = 0;
  }
  const Pair padding = pair_of(c, WindowList::kPadding);
  for (std::size_t d = 0; d < plane.size(); ++d) {
    std::int64_t& size = number_for(c, WindowList::kKernelSize, d);
    size = std::clamp<std::int64_t>(size, 1, std::min(2 * plane[d] + 1, plane[d] + 2 * padding[d]));
  }
  const Pair sizes = pair_of(c, WindowList::kKernelSize);
  for (std::size_t d = 0; d < plane.size(); ++d) {
    std::int64_t& dilation = number_for(c, WindowList::kDilation, d);
    dilation = std::max<std::int64_t>(dilation, 1);
    const std::int64_t last = plane[d] + 2 * padding[d] - 1;
    if (sizes[d] > 1) dilation = std::min(dilation, last / (sizes[d] - 1));
  }
  for (std::int64_t& stride : numbers(c, WindowList::kStride))
    stride = std::max<std::int64_t>(stride, 1);
}

bool shrink_column_windows(Case& c) {
  std::int64_t& size = *std::ranges::max_element(numbers(c, WindowList::kKernelSize));
  std::int64_t& padding = *std::ranges::max_element(numbers(c, WindowList::kPadding));
  if (size == 1 && padding == 0) return false;
  if (size > 1)
    size /= 2;
  else
    padding /= 2;
  return true;
}

std::int64_t most_beside(std::int64_t elements, const Limits& limits) {
  // As with what is padded: large only if the other is, since large cases are to be rare.
  constexpr std::int64_t kFew = 1000, kGrowth = 4, kLarge = 32768;
  return std::min(limits.max_elements,
                  std::max(kFew, std::min(kGrowth * elements, std::max(elements, kLarge))));
}

bool change_column_rank(Case& c, int wanted) {
  Operand& self = c.operands[columns::kSelf];
  if (c.variant != Variant::kFunctional || !has_elements(c)) return false;
  set_rank(self.shape, wanted);
  self.layout = contiguous_layout(wanted);
  self.fill.repeats = 0;
  return true;
}

bool set_window_list(Case& c, WindowList list, std::int64_t value) {
  if (!has_elements(c)) return false;
  numbers(c, list).back() = value;
  return true;
}

bool overflow_padding(Case& c) {
  if (!has_elements(c)) return false;
  // A plane with so much padding has a negative size in 64 bits, but room for one window.
  for (const WindowList list : {WindowList::kPadding, WindowList::kStride})
    std::ranges::fill(numbers(c, list), std::numeric_limits<std::int64_t>::max());
  return true;
}

bool overflow_kernel(Case& c) {
  if (!has_elements(c)) return false;
  // Their product is 4 in 64 bits, and what a window spans is negative.
  std::ranges::fill(numbers(c, WindowList::kKernelSize),
                    std::numeric_limits<std::int64_t>::max() - 1);
  std::ranges::fill(numbers(c, WindowList::kDilation), 2);
  return true;
}

bool empty_window_list(Case& c, WindowList list) {
  return has_elements(c) && empty_list(c, parameter_of(c, list).slot);
}

bool lengthen_window_list(Case& c, WindowList list) {
  return has_elements(c) && lengthen_list(c, parameter_of(c, list).slot);
}

bool empty_column_self(Case& c) {
  Operand& self = c.operands[columns::kSelf];
  if (!has_elements(c)) return false;
  resize_dimension(self, self.shape.size() - 1, 0);
  return true;
}

}  // namespace indexfuzz
