#include "ops/families/segment_rules.h"

#include <limits>
#include <vector>

#include "ops/families/segments.h"
#include "ops/fills/filled_positions.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"

namespace indexfuzz {
namespace {

using namespace segment;

/// Whether every length or offset is known to be read, and the elements that it leads to. What
/// calls with an initial share with those without is tested once.
bool takes_elements(const Case& c) {
  return !has_initial(c) && numel(c.operands[kSegments].shape) > 0 &&
         numel(c.operands[kData].shape) > 0;
}
/// The same of lengths, or of offsets. The call then is not `unsafe`, so that they are checked.
bool checks_lengths(Case& c) {
  if (has_offsets(c) || !takes_elements(c)) return false;
  c.attributes[kUnsafe] = 0;
  return true;
}
bool checks_offsets(Case& c) {
  if (!has_offsets(c) || !takes_elements(c)) return false;
  c.attributes[kUnsafe] = 0;
  return true;
}

/// Gives each row the same lengths, of which the last is so far below zero that they add up to the
/// size of the axis still.
bool make_length_negative(Case& c) {
  if (!checks_lengths(c)) return false;
  Operand& lengths = c.operands[kSegments];
  const std::int64_t last = axis_size(c) * (2 - lengths.shape.back());
  if (last >= 0 || last < std::numeric_limits<std::int32_t>::min()) return false;
  for (std::size_t d = 0; d + 1 < lengths.shape.size(); ++d) {
    if (lengths.shape[d] != 1) expand_dimension(lengths, d);
  }
  lengths.fill.kind = FillKind::kLast;
  poke(c.operands[kSegments], numel(lengths.shape) - 1, last);
  return true;
}

/// Gives each segment the same length, so great that the lengths of a row add up to the size of the
/// axis only because their sum exceeds 64 bits. There is none for every number of segments.
bool overflow_sum(Case& c) {
  if (!checks_lengths(c)) return false;
  Operand& lengths = c.operands[kSegments];
  if (lengths.dtype != Dtype::kInt64) return false;
  using Wide = unsigned __int128;
  const auto segments = static_cast<Wide>(division_of(c).segments);
  const auto size = static_cast<Wide>(axis_size(c));
  constexpr Wide kTooGreat = Wide{1} << 63;
  constexpr std::uint32_t kMostWraps = 8;
  for (std::uint32_t wraps = 1; wraps <= kMostWraps; ++wraps) {
    const Wide sum = size + (Wide{wraps} << 64);
    if (sum % segments != 0 || sum / segments >= kTooGreat) continue;
    for (std::size_t d = 0; d < lengths.shape.size(); ++d) {
      if (lengths.shape[d] != 1) expand_dimension(lengths, d);
    }
    poke(lengths, 0, static_cast<std::int64_t>(sum / segments));
    return true;
  }
  return false;
}

/// Makes one length smaller by one.
bool lengths_fall_short(Case& c) {
  if (!checks_lengths(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader lengths = filled_positions(c, kSegments, bytes);
  std::int64_t p = lengths.count() - 1;
  while (lengths[p] == 0) --p;
  poke(c.operands[kSegments], p, lengths[p] - 1);
  return true;
}

/// Makes one offset smaller than the one before it in its row.
bool offsets_fall(Case& c) {
  if (!checks_offsets(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kSegments, bytes);
  const std::int64_t width = c.operands[kSegments].shape.back();
  for (std::int64_t p = offsets.count(); p-- > 1;) {
    // The last one of a row has a rule of its own.
    const bool is_inside = p % width != 0 && p % width != width - 1;
    if (!is_inside || offsets[p - 1] == 0) continue;
    poke(c.operands[kSegments], p, offsets[p - 1] - 1);
    return true;
  }
  return false;
}

/// Makes the first segment of the first row begin behind the first element.
bool offsets_begin_later(Case& c) {
  if (!checks_offsets(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kSegments, bytes);
  if (offsets[1] == 0) return false;  // the offsets would fall
  poke(c.operands[kSegments], 0, 1);
  return true;
}

/// Makes the last segment of the last row end before the last element.
bool offsets_end_early(Case& c) {
  if (!checks_offsets(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kSegments, bytes);
  const std::int64_t last = offsets.count() - 1;
  if (offsets[last - 1] == offsets[last]) return false;  // the offsets would fall
  poke(c.operands[kSegments], last, offsets[last] - 1);
  return true;
}

/// Gives lengths or offsets another number of rows.
bool resize_rows(Case& c, std::int64_t more) {
  Operand& segments = c.operands[kSegments];
  // A single row may well stand for all.
  if (segments.shape.size() < 2 || !takes_elements(c) || segments.shape[0] + more < 2) return false;
  resize_dimension(segments, 0, segments.shape[0] + more);
  return true;
}

}  // namespace

constinit const std::array<IllegalRule, 20> segment_rules{{
    {1, "length_negative", make_length_negative},
    {2, "length_above",
     [](Case& c) { return checks_lengths(c) && poke_index(c, kSegments, axis_size(c) + 1); }},
    {3, "lengths_fall_short", lengths_fall_short},
    {4, "offset_below", [](Case& c) { return checks_offsets(c) && poke_index(c, kSegments, -1); }},
    {5, "offset_above",
     [](Case& c) { return checks_offsets(c) && poke_index(c, kSegments, axis_size(c) + 1); }},
    {6, "offsets_fall", offsets_fall},
    // Offsets may be read as what they are: the first and the last element of each segment.
    {7, "offsets_begin_later", offsets_begin_later, kATenOnly},
    {8, "offsets_end_early", offsets_end_early, kATenOnly},
    {9, "no_offsets",
     [](Case& c) {
       return checks_offsets(c) &&
              empty_dimension(c, kSegments, rank(c.operands[kSegments].shape) - 1);
     },
     kMayBeEmpty},
    {10, "index_dtype", [](Case& c) { return become_floating(c, kSegments); }},
    {11, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kSegments); }, kATenOnly},
    {12, "axis_above", dim_above},
    {13, "axis_below", dim_below},
    {14, "rank_above",
     [](Case& c) { return add_dimension(c, kSegments, rank(c.operands[kSegments].shape) + 1); }},
    {15, "rows_above", [](Case& c) { return resize_rows(c, 1); }},
    {16, "rows_below", [](Case& c) { return resize_rows(c, -1); }},
    {17, "out_dtype", change_out_dtype},
    {18, "out_overlaps_itself", overlap_written},
    {19, "reduce_unknown", [](Case& c) { return takes_elements(c) && choose_unknown(c, kReduce); }},
    // ATen, too, compares the sum alone.
    {20, "lengths_sum_overflows", overflow_sum, kByValue | kATenOnly},
}};

}  // namespace indexfuzz
