#include "ops/illegal.h"

#include <algorithm>

namespace indexfuzz {
namespace {

Operand& at(Case& c, int operand) {
  return c.operands[static_cast<std::size_t>(operand)];
}

}  // namespace

bool poke_index(Case& c, int operand, std::int64_t value) {
  Operand& index = at(c, operand);
  const std::int64_t count = numel(index.shape);
  if (!index.present || count == 0 || family(index.fill.kind) != FillFamily::kIndex) return false;
  // The layout would share the poked element with elements of other values.
  if (has_sliding(index.layout)) return false;
  index.poked = true;
  index.poke_position = count - 1;
  index.poke_value = value;
  return true;
}

bool add_dimension(Case& c, int operand, int wanted) {
  Operand& target = at(c, operand);
  if (rank(target.shape) >= wanted || wanted > kMaxDims) return false;
  while (rank(target.shape) < wanted) {
    target.layout.order.push_back(static_cast<std::uint8_t>(target.shape.size()));
    target.layout.dims.emplace_back();
    target.shape.push_back(1);
  }
  return true;
}

bool add_leading_dimension(Case& c, int operand, int wanted, std::int64_t size) {
  Operand& target = at(c, operand);
  if (rank(target.shape) != wanted - 1 || wanted > kMaxDims || numel(target.shape) == 0)
    return false;
  target.shape.insert(target.shape.begin(), size);
  target.layout = contiguous_layout(wanted);
  target.fill.repeats = 0;
  return true;
}

bool mismatch_broadcast(Case& c, int operand, const Dims& other) {
  Operand& target = at(c, operand);
  if (target.shape.empty() || other.empty() || other.back() == 1) return false;
  target.shape.back() = other.back() == 0 ? 2 : other.back() + 1;
  target.layout = contiguous_layout(rank(target.shape));
  target.fill.repeats = 0;
  return true;
}

bool make_complex(Case& c, int operand, Dtype target) {
  if (info(target).family == DtypeFamily::kComplex || target == Dtype::kBool) return false;
  at(c, operand).dtype = Dtype::kComplexDouble;
  at(c, operand).fill = Fill{};
  return true;
}

bool change_dtype(Case& c, int operand, Dtype dtype) {
  Operand& target = at(c, operand);
  if (target.dtype == dtype) return false;
  target.dtype = dtype;
  // Index values mean nothing to another dtype, and its storage may be larger.
  target.fill = Fill{FillKind::kZeros, Negatives::kNone, target.fill.repeats, 0, 0};
  target.poked = false;
  return true;
}

bool mismatch_dtype(Case& c, int operand, int other) {
  const bool is_int32 = at(c, other).dtype == Dtype::kInt32;
  return change_dtype(c, operand, is_int32 ? Dtype::kFloat : Dtype::kInt32);
}

bool dim_beyond(Case& c, int attribute, int operand) {
  c.attributes[static_cast<std::size_t>(attribute)] = std::max(rank(at(c, operand).shape), 1);
  return true;
}

bool change_out_dtype(Case& c) {
  if (c.variant != Variant::kOut) return false;
  Operand& out = c.operands.back();
  return change_dtype(c, static_cast<int>(c.operands.size()) - 1,
                      out.dtype == Dtype::kDouble ? Dtype::kFloat : Dtype::kDouble);
}

bool overlap_written(Case& c) {
  const int written = written_operand(c);
  if (written < 0) return false;
  Operand& operand = at(c, written);
  if (numel(operand.shape) == 0) return false;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (operand.shape[d] < 2) continue;
    operand.layout.dims[d] = {1, 0, 0, true, false};
    operand.fill.repeats |= static_cast<std::uint16_t>(1u << d);
    return true;
  }
  return false;
}

bool share_memory(Case& c, int input) {
  const int written = written_operand(c);
  if (written < 0 || written == input) return false;
  // The later operand lies in the earlier one's memory, which is laid out first.
  const int first = std::min(written, input);
  Operand& host = at(c, first);
  Operand& guest = at(c, std::max(written, input));
  if (!host.present || !guest.present) return false;
  const std::int64_t host_bytes =
      numel(host.shape) * static_cast<std::int64_t>(item_size(host.dtype));
  const std::int64_t guest_bytes =
      numel(guest.shape) * static_cast<std::int64_t>(item_size(guest.dtype));
  if (guest_bytes == 0 || guest_bytes > host_bytes) return false;
  host.layout = contiguous_layout(rank(host.shape));
  guest.layout = contiguous_layout(rank(guest.shape));
  guest.guard = host.guard;
  guest.shares_memory_with = static_cast<std::int8_t>(first);
  return true;
}

}  // namespace indexfuzz
