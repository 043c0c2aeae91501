#include "ops/families/pool_windows.h"

#include <algorithm>
#include <numeric>

namespace indexfuzz {

std::int64_t window_count(const PoolWindows& windows, std::int64_t length) {
  const std::int64_t last = windows.dilation * (windows.size - 1);
  // A stride of 0 is illegal.
  return (length + 2 * windows.padding - last - 1) / std::max<std::int64_t>(windows.stride, 1) + 1;
}

std::int64_t window_count_in_ceil_mode(const PoolWindows& windows, std::int64_t length) {
  const std::int64_t stride = std::max<std::int64_t>(windows.stride, 1),
                     last = windows.dilation * (windows.size - 1),
                     beyond = length + 2 * windows.padding - last - 1;
  const std::int64_t begin_of_last = (beyond + stride - 1) / stride * stride;
  return begin_of_last / stride + (begin_of_last < length + windows.padding ? 1 : 0);
}

std::int64_t most_over_one_element(const PoolWindows& windows) {
  // Of windows that hold an element, the places at which they do lie this far apart. A stride of 0
  // is illegal.
  const std::int64_t apart =
      std::max<std::int64_t>(windows.stride / std::gcd(windows.stride, windows.dilation), 1);
  return (windows.size - 1) / apart + 1;
}

HeldElements held_elements(const PoolWindows& windows, std::int64_t window, std::int64_t length) {
  const std::int64_t dilation = std::max<std::int64_t>(windows.dilation, 1);
  const std::int64_t begin = window * windows.stride - windows.padding;
  const std::int64_t skipped = begin < 0 ? (dilation - 1 - begin) / dilation : 0;
  const std::int64_t first = begin + skipped * dilation;
  if (first >= length) return {first, 0};
  const std::int64_t before_end = (length - 1 - first) / dilation + 1;
  return {first, std::clamp<std::int64_t>(windows.size - skipped, 0, before_end)};
}

std::int64_t element_of(const HeldElements& held, std::int64_t dilation, std::int64_t element) {
  if (held.count <= 0) return element;
  // 32-bit division takes a third of the time of 64-bit division.
  const auto count = static_cast<std::uint32_t>(held.count),
             step = static_cast<std::uint32_t>(dilation);
  if (element >= held.first) {
    const auto behind = static_cast<std::uint32_t>(element - held.first);
    return held.first + std::int64_t{behind / step % count * step};
  }
  const auto before = static_cast<std::uint32_t>(held.first - element);
  return held.first + std::int64_t{(count - (before + step - 1) / step % count) % count * step};
}

}  // namespace indexfuzz
