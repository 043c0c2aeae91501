#include "ops/families/segments.h"

#include <algorithm>
#include <vector>

#include "ops/fills/filled_positions.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {

using namespace segment;

Division division_of(const Case& c) {
  const Dims& shape = c.operands[kData].shape;
  Division division;
  for (int d = 0; d < rank(shape); ++d) {
    const std::int64_t size = size_at(shape, d);
    if (d < axis_of(c)) division.outer *= size;
    if (d > axis_of(c)) division.inner *= size;
  }
  const Dims& segments = c.operands[kSegments].shape;
  division.segments = segments.empty() ? 0 : segments.back() - (has_offsets(c) ? 1 : 0);
  return division;
}

std::int64_t longest_segment(const Case& c) {
  static thread_local std::vector<std::byte> bytes;
  const IndexReader positions = filled_positions(c, kSegments, bytes);
  // Rules change the number of rows, or take all offsets away.
  const Division division = division_of(c);
  const std::int64_t in_a_row = division.segments + (has_offsets(c) ? 1 : 0);
  if (division.segments < 0 || positions.count() != division.outer * in_a_row) return axis_size(c);
  std::int64_t longest = 0;
  for_each_segment(c, positions,
                   [&](std::int64_t, std::int64_t, std::int64_t begin, std::int64_t end) {
                     longest = std::max(longest, end - begin);
                   });
  return longest;
}

void fit_segments(Case& c, const Limits& limits) {
  Operand& data = c.operands[kData];
  Dims& shape = c.operands[kSegments].shape;
  const auto axis = static_cast<std::size_t>(axis_of(c));
  std::int64_t drawn = shape.empty() ? 1 : shape.back();
  shape.assign(data.shape.begin(), data.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  std::int64_t others = 1;
  for (std::size_t d = 0; d < data.shape.size(); ++d)
    if (d != axis) others *= std::max<std::int64_t>(data.shape[d], 1);
  const std::int64_t most = limits.max_elements / others;
  std::int64_t least = has_offsets(c) ? 2 : 1;
  if (least > most) data.shape[axis] = 0;
  if (data.shape[axis] == 0) --least;
  shape.push_back(std::clamp(drawn, least, std::max(most, least)));
}

void settle_segments(Case& c, const Limits& limits) {
  Operand& segments = c.operands[kSegments];
  clamp_fill(segments.fill, FillFamily::kIndex);
  segments.fill.kind = has_offsets(c) ? FillKind::kOffsets5 : FillKind::kLengths1;
  settle_layout(segments, limits, Overlap::kExpanded);
  // In no row do elements share memory: they add up to the size of the axis.
  segments.layout.dims.back().expanded = false;
  segments.fill.repeats &= static_cast<std::uint16_t>((1u << (segments.shape.size() - 1)) - 1);
}

}  // namespace indexfuzz
