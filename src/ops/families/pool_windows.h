#pragma once
// The windows of a pooling that lie at equal distances: how many there are along a dimension of a
// plane, and which of its elements each of them holds.
// https://pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html

#include <cstdint>

namespace indexfuzz {

/// Windows along one dimension: a new one begins every `stride` elements, the first one `padding`
/// elements before the dimension does. Each has `size` places, `dilation` elements apart.
struct PoolWindows {
  std::int64_t size, stride, padding, dilation;
};

/// How many windows end within a dimension of this length, padded at both ends.
std::int64_t window_count(const PoolWindows& windows, std::int64_t length);
/// How many begin within the dimension or before it, if those that end behind the padding count,
/// too, as ceil_mode=True has it. A window must fit in the padded dimension.
std::int64_t window_count_in_ceil_mode(const PoolWindows& windows, std::int64_t length);

/// The most windows that hold the same element.
std::int64_t most_over_one_element(const PoolWindows& windows);

/// The elements of a window that lie in the dimension: `first`, and `count` - 1 others behind it,
/// `dilation` apart.
struct HeldElements {
  std::int64_t first, count;
};
/// Those of window number `window`; with a count of 0 there are none. The windows may be illegal.
HeldElements held_elements(const PoolWindows& windows, std::int64_t window, std::int64_t length);

/// An element that the window holds: `element` if it is one of them, otherwise the one to which
/// steps of the whole window lead from it (as nearly as the dilation allows). `element` itself if
/// the window holds none.
std::int64_t element_of(const HeldElements& held, std::int64_t dilation, std::int64_t element);

}  // namespace indexfuzz
