#include "ops/families/pool_geometry.h"

#include <algorithm>
#include <limits>

#include "ops/families/planes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

std::size_t stride_count(const Case& c) {
  const std::size_t end = takes_ceil_mode(c) ? pool::kCeil : pool::kPadding;
  return end - static_cast<std::size_t>(pooled_dims(c));
}

/// As settle_windows(), whatever the number of windows; without padding if `unpadded`.
void settle_windows(Case& c, StepOverSelf step_over, bool unpadded) {
  const auto lengths = plane_sizes(c.operands[pool::kSelf], pooled_dims(c)),
             sizes = window_sizes(c), strides = window_strides(c);
  std::int64_t &padding = c.attributes[pool::kPadding], &dilation = c.attributes[pool::kDilation];
  for (std::size_t d = 0; d < lengths.size(); ++d)
    sizes[d] = std::clamp<std::int64_t>(sizes[d], 1, 2 * lengths[d] + 1);
  // Most that are drawn are large: as many shall be padded as not.
  const std::int64_t half = std::ranges::min(sizes) / 2;
  padding = unpadded ? 0 : std::max<std::int64_t>(padding, 0) % (half + 1);
  // ATen takes it as an int. Windows of one place each may have any.
  std::int64_t farthest = std::ranges::max(sizes) > 1 ? std::ranges::max(lengths) + 2 * padding
                                                      : std::numeric_limits<std::int32_t>::max();
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    const std::int64_t padded = lengths[d] + 2 * padding;
    sizes[d] = std::min(sizes[d], padded);
    // A window that begins in the padding must not step over self.
    if (padding > 0 && step_over == StepOverSelf::kNever) farthest = std::min(farthest, lengths[d]);
    if (sizes[d] > 1) farthest = std::min(farthest, (padded - 1) / (sizes[d] - 1));
  }
  dilation = std::clamp<std::int64_t>(dilation, 1, farthest);
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::int64_t longest = strides.size() == 1 ? std::ranges::max(lengths) : lengths[d];
    strides[d] = std::clamp<std::int64_t>(strides[d], 1, longest);
  }
}

}  // namespace

int pooled_dims(const Case& c) {
  return operator_of(c).least_rank - 1;
}

int rank_of_batch(const Case& c) {
  return pooled_dims(c) + 2;
}

std::span<std::int64_t> plane_sizes(Operand& operand, int dims) {
  return std::span(operand.shape.data(), operand.shape.size()).last(static_cast<std::size_t>(dims));
}

std::span<std::int64_t> window_sizes(Case& c) {
  return std::span(c.attributes).first(static_cast<std::size_t>(pooled_dims(c)));
}

std::span<std::int64_t> window_strides(Case& c) {
  return std::span(c.attributes).subspan(static_cast<std::size_t>(pooled_dims(c)), stride_count(c));
}

bool takes_ceil_mode(const Case& c) {
  return overload_of(c).attributes[pool::kCeil].type == AttributeType::kBool;
}

bool is_ceil_mode(const Case& c) {
  return takes_ceil_mode(c) && c.attributes[pool::kCeil] != 0;
}

PoolWindows windows_along(const Case& c, std::size_t d) {
  const auto dims = static_cast<std::size_t>(pooled_dims(c));
  const std::size_t stride = dims + std::min(d, stride_count(c) - 1);
  return {c.attributes[d], c.attributes[stride], c.attributes[pool::kPadding],
          c.attributes[pool::kDilation]};
}

std::int64_t excessive_padding(Case& c) {
  const std::int64_t last = c.attributes[pool::kDilation] * (std::ranges::min(window_sizes(c)) - 1);
  return (last + 1) / 2 + 1;
}

Dims shape_of_windows(const Case& c) {
  Dims shape = c.operands[pool::kSelf].shape;
  const auto dims = static_cast<std::size_t>(pooled_dims(c));
  const auto count = is_ceil_mode(c) ? window_count_in_ceil_mode : window_count;
  for (std::size_t d = 0; d < dims; ++d) {
    std::int64_t& size = shape[shape.size() - dims + d];
    size = count(windows_along(c, d), size);
  }
  return shape;
}

const WindowsOfPlane& windows_of_plane(const Case& c, const Dims& shape) {
  static thread_local WindowsOfPlane all;
  const Dims& self = c.operands[pool::kSelf].shape;
  const auto dims = static_cast<std::size_t>(pooled_dims(c));
  all.lengths = {1, 1, 1};
  all.held[0].assign(1, {0, 1});
  for (std::size_t d = 0; d < dims; ++d) {
    const std::size_t axis = d + 3 - dims;
    all.lengths[axis] = self[self.size() - dims + d];
    all.held[axis].clear();
    for (std::int64_t window = 0; window < shape[shape.size() - dims + d]; ++window)
      all.held[axis].push_back(held_elements(windows_along(c, d), window, all.lengths[axis]));
  }
  return all;
}

void give_self_planes(Case& c, const Limits& limits) {
  Dims& shape = c.operands[pool::kSelf].shape;
  give_planes(shape, limits, pooled_dims(c));
  if (rank(shape) < rank_of_batch(c)) shape[0] = std::max<std::int64_t>(shape[0], 1);
}

void settle_windows(Case& c, const Limits& limits, StepOverSelf step_over) {
  settle_windows(c, step_over, false);
  // With padding there may be more windows than elements.
  if (!is_within(shape_of_windows(c), limits)) settle_windows(c, step_over, true);
}

}  // namespace indexfuzz
