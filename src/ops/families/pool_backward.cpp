#include "ops/families/pool_backward.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "case/number.h"
#include "ops/families/planes.h"
#include "ops/numbers/index_reader.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

/// Makes self planes, and gives indices and grad_output as many with the last dimensions of the
/// drawn indices: each at least 1, and at most as large as self's if `no_larger`.
void give_shapes(Case& c, const Limits& limits, bool no_larger) {
  Operand& self = c.operands[pool::kSelf];
  Operand& indices = c.operands[pool::kIndices];
  const int dims = pooled_dims(c);
  give_self_planes(c, limits);
  Dims shape = self.shape;
  std::int64_t most = limits.max_elements / plane_count(self.shape, dims);
  for (int d = dims; d > 0; --d) {
    std::int64_t& size = shape[shape.size() - static_cast<std::size_t>(d)];
    const std::int64_t bound = no_larger ? std::min(size, most) : most;
    size = std::clamp<std::int64_t>(size_at(indices.shape, rank(indices.shape) - d), 1, bound);
    most /= size;
  }
  indices.shape = c.operands[pool::kGrad].shape = shape;
}

/// Indices of different windows share no memory: those of a plane differ with their place.
void keep_windows_apart(const Case& c, Operand& indices) {
  Layout& layout = indices.layout;
  const std::size_t leading = indices.shape.size() - static_cast<std::size_t>(pooled_dims(c));
  for (std::size_t d = 0; d < layout.dims.size(); ++d) {
    layout.dims[d].slides = false;
    if (d >= leading) layout.dims[d].expanded = false;
  }
}

/// Makes the indices of a plane, no more than it has elements, name none twice.
void name_each_once(Operand& indices) {
  FillKind& kind = indices.fill.kind;
  if (kind != FillKind::kAscending && kind != FillKind::kDescending) kind = FillKind::kDistinct1;
  indices.fill.repeats = 0;
  for (DimLayout& dim : indices.layout.dims) dim.expanded = dim.slides = false;
}

/// `apart`: no two windows overlap.
void give_dtypes_and_fills(Case& c, const Limits& limits, bool apart) {
  Operand& self = c.operands[pool::kSelf];
  Operand& indices = c.operands[pool::kIndices];
  Operand& grad = c.operands[pool::kGrad];
  clamp_dtype(self.dtype, within(kFloats, limits));
  grad.dtype = self.dtype;
  indices.dtype = Dtype::kInt64;
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(indices.fill, FillFamily::kIndex);
  clamp_fill(grad.fill, FillFamily::kValue);
  if (apart && plane_of_grad(c, pool::kGrad) > 1) name_each_once(indices);
  settle_terms(grad);
}

}  // namespace

std::span<std::int64_t> output_sizes(Case& c) {
  const std::size_t attributes = overload_of(c).attributes.size();
  return std::span(c.attributes).subspan(attributes / 2, attributes / 2);
}

std::int64_t plane_of_self(const Case& c, int) {
  return plane_size(c.operands[pool::kSelf].shape, pooled_dims(c));
}

std::int64_t plane_of_grad(const Case& c, int) {
  return plane_size(c.operands[pool::kGrad].shape, pooled_dims(c));
}

void repair_adaptive_pool_backward(Case& c, const Limits& limits) {
  give_shapes(c, limits, false);
  const auto self = plane_sizes(c.operands[pool::kSelf], pooled_dims(c)),
             grad = plane_sizes(c.operands[pool::kGrad], pooled_dims(c));
  bool apart = true;
  for (std::size_t d = 0; d < self.size(); ++d) apart = apart && self[d] % grad[d] == 0;
  give_dtypes_and_fills(c, limits, apart);
}

void repair_fractional_pool_backward(Case& c, const Limits& limits) {
  give_shapes(c, limits, true);
  const auto self = plane_sizes(c.operands[pool::kSelf], pooled_dims(c)),
             grad = plane_sizes(c.operands[pool::kGrad], pooled_dims(c)), window = window_sizes(c);
  bool apart = true;
  for (std::size_t d = 0; d < self.size(); ++d) {
    window[d] = std::clamp<std::int64_t>(window[d], 1, self[d] - grad[d] + 1);
    // The first window is at the beginning, the last one at the end.
    apart = apart && self[d] - window[d] >= window[d] * (grad[d] - 1);
  }
  std::ranges::copy(grad, output_sizes(c).begin());
  give_dtypes_and_fills(c, limits, apart);
}

void repair_max_pool_backward(Case& c, const Limits& limits) {
  give_self_planes(c, limits);
  settle_windows(c, limits, StepOverSelf::kNever);
  Operand& indices = c.operands[pool::kIndices];
  indices.shape = c.operands[pool::kGrad].shape = shape_of_windows(c);
  give_dtypes_and_fills(c, limits, false);
  keep_windows_apart(c, indices);
}

void name_elements_of_windows(const Case& c, int operand, std::byte* indices) {
  const Dims& shape = operand_at(c, operand).shape;
  const auto& [lengths, held] = windows_of_plane(c, shape);
  const std::int64_t dilation = std::max<std::int64_t>(c.attributes[pool::kDilation], 1);
  const auto height = static_cast<std::uint32_t>(std::max<std::int64_t>(lengths[1], 1)),
             width = static_cast<std::uint32_t>(std::max<std::int64_t>(lengths[2], 1));
  std::byte* const end = indices + numel(shape) * std::int64_t{sizeof(std::int64_t)};
  while (indices != end) {
    for (const HeldElements& in_depth : held[0]) {
      for (const HeldElements& in_height : held[1]) {
        for (const HeldElements& in_width : held[2]) {
          const auto drawn = static_cast<std::uint32_t>(load<std::int64_t>(indices));
          const std::int64_t z = element_of(in_depth, dilation, drawn / width / height),
                             y = element_of(in_height, dilation, drawn / width % height),
                             x = element_of(in_width, dilation, drawn % width);
          const std::int64_t index = (z * height + y) * width + x;
          std::memcpy(indices, &index, sizeof index);
          indices += sizeof index;
        }
      }
    }
  }
}

std::int64_t windows_over_one_element(const Case& c, int operand) {
  const Dims& shape = operand_at(c, operand).shape;
  const auto dims = static_cast<std::size_t>(pooled_dims(c));
  std::int64_t most = 1;
  for (std::size_t d = 0; d < dims; ++d)
    most *= std::min(most_over_one_element(windows_along(c, d)), shape[shape.size() - dims + d]);
  return most;
}

void add_to_planes(const OracleInput& input, std::byte* destination) {
  const auto [shape, dtype] = result_like_self(input.c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(shape)) * item_size(dtype));
  const IndexReader index(input, pool::kIndices);
  const std::int64_t from_plane = plane_of_grad(input.c, pool::kGrad),
                     to_plane = plane_of_self(input.c, pool::kSelf);
  as_addends(dtype, destination, input.operands[pool::kGrad].data, [&](auto* to, const auto* from) {
    for (std::int64_t i = 0; i < index.count(); ++i)
      to[i / from_plane * to_plane + index[i]].add(from[i]);
  });
}

}  // namespace indexfuzz
