#include "ops/illegal/break_memory.h"

#include <algorithm>

#include "ops/illegal/chance.h"

namespace indexfuzz {
namespace {

/// Lays the guest out as a part of a strided host from its first element on, as `self[:2, :3]`.
/// False if it is no such part, or the host is expanded or slides. Only hosts with steps count:
/// those with other gaps would tell no more, since ATen's check treats them alike.
bool become_part(const Operand& host, Operand& guest) {
  const auto has_step = [](const DimLayout& dim) { return dim.step > 1; };
  if (std::ranges::none_of(host.layout.dims, has_step) ||
      host.slices != SlicePlacement::kByLayout || rank(host.shape) != rank(guest.shape) ||
      host.dtype != guest.dtype)
    return false;
  Layout layout = host.layout;
  for (std::size_t d = 0; d < host.shape.size(); ++d) {
    DimLayout& dim = layout.dims[d];
    const std::int64_t after = dim.after + (host.shape[d] - guest.shape[d]) * dim.step;
    const bool fits = guest.shape[d] <= host.shape[d] && after <= INT16_MAX;
    if (dim.expanded || dim.slides || !fits) return false;
    dim.after = static_cast<std::int16_t>(after);
  }
  guest.layout = layout;
  guest.slices = SlicePlacement::kByLayout;
  return true;
}

/// Makes `out`, which the call resizes, an empty tensor in the input's memory, into which it then
/// grows. False if the result is larger than the input, and so would get memory of its own.
bool grow_into(Case& c, int input) {
  Operand& host = operand_at(c, input);
  Operand& out = c.operands.back();
  const ResultSpec result = operator_of(c).result(c);
  const auto size = static_cast<std::int64_t>(item_size(out.dtype));
  const std::int64_t room =
      numel(host.shape) * static_cast<std::int64_t>(item_size(host.dtype)) / size -
      numel(result.shape);
  if (!host.present || numel(result.shape) == 0 || room < 0) return false;
  const bool at_the_end = chance_of(host, 5) % 2 != 0 && room <= INT16_MAX;
  out.shape = {0};
  out.layout = contiguous_layout(1);
  if (at_the_end) out.layout.offset = static_cast<std::int16_t>(room);
  host.layout = contiguous_layout(rank(host.shape));
  host.slices = out.slices = SlicePlacement::kByLayout;
  host.guard = out.guard = Guard::kLeft;
  out.fill = Fill{};
  out.shares_memory_with = static_cast<std::int8_t>(input);
  return true;
}

}  // namespace

void expand_dimension(Operand& operand, std::size_t dim) {
  operand.layout.dims[dim] = {1, 0, 0, true, false};
  operand.fill.repeats |= static_cast<std::uint16_t>(1u << dim);
}

bool overlap_written(Case& c) {
  const int written = written_operand(c);
  if (written < 0) return false;
  Operand& operand = operand_at(c, written);
  // An operand that the call resizes no longer overlaps.
  if (operand.own_shape || numel(operand.shape) == 0) return false;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (operand.shape[d] < 2) continue;
    expand_dimension(operand, d);
    return true;
  }
  return false;
}

bool share_memory(Case& c, int input) {
  const int written = written_operand(c);
  if (written < 0 || written == input) return false;
  // The later operand lies in the earlier one's memory, which is laid out first.
  const int first = std::min(written, input);
  Operand& host = operand_at(c, first);
  Operand& guest = operand_at(c, std::max(written, input));
  if (!host.present || !guest.present) return false;
  if (operand_at(c, written).own_shape) return grow_into(c, input);
  const std::int64_t host_bytes =
      numel(host.shape) * static_cast<std::int64_t>(item_size(host.dtype));
  const std::int64_t guest_bytes =
      numel(guest.shape) * static_cast<std::int64_t>(item_size(guest.dtype));
  if (guest_bytes == 0 || guest_bytes > host_bytes) return false;
  if (!become_part(host, guest)) {
    const bool at_the_end = guest.layout.offset != 0;
    host.layout = contiguous_layout(rank(host.shape));
    guest.layout = contiguous_layout(rank(guest.shape));
    const std::int64_t room =
        (host_bytes - guest_bytes) / static_cast<std::int64_t>(item_size(guest.dtype));
    if (at_the_end && room <= INT16_MAX) guest.layout.offset = static_cast<std::int16_t>(room);
  }
  host.guard = guest.guard = Guard::kLeft;
  guest.shares_memory_with = static_cast<std::int8_t>(first);
  return true;
}

}  // namespace indexfuzz
