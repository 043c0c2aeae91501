#include "ops/repair/other_calls.h"

#include <algorithm>
#include <utility>

#include "ops/definition/operator.h"
#include "ops/repair/repair.h"

namespace indexfuzz {

Case plainest_case(std::uint16_t op, std::uint8_t overload, Variant variant) {
  Case plain;
  plain.op = op;
  plain.overload = overload;
  plain.variant = variant;
  plain.operands.resize(overload_of(plain).operands.size() + (variant == Variant::kOut ? 1 : 0));
  for (Operand& operand : plain.operands) {
    operand.shape = {1};
    operand.layout = contiguous_layout(1);
  }
  repair(plain, Limits{});
  // Only after repair is it known which family of fill each operand has.
  for (Operand& operand : plain.operands) {
    const FillFamily fills = family(operand.fill.kind);
    operand.fill.kind = plainest(fills);
    operand.dtype = plainest_dtype(fills);
  }
  repair(plain, Limits{});
  return plain;
}

Case with_zeros(Case c) {
  c.breaks = 0;
  for (Operand& operand : c.operands) {
    operand.fill.popcount = 0;
    switch (family(operand.fill.kind)) {
      case FillFamily::kValue: operand.fill.kind = FillKind::kZeros; break;
      case FillFamily::kIndex: operand.fill.kind = FillKind::kFirst; break;
      case FillFamily::kMask: operand.fill.kind = FillKind::kMaskFront; break;
    }
  }
  repair(c, Limits{});
  return c;
}

namespace {

void limit_sizes(Case& c, std::int64_t most) {
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (attributes[a].type == AttributeType::kSize)
      c.attributes[a] = std::min(c.attributes[a], most);
    // It may be by how much a result is longer than its operand.
    if (attributes[a].type == AttributeType::kAnyInt)
      c.attributes[a] = std::clamp(c.attributes[a], -most, most);
  }
}

/// Sizes that are attributes become no larger than `most`, and operands as small as these allow.
Case with_small_operands(Case c, std::int64_t most) {
  limit_sizes(c, most);
  if (lists_values(overload_of(c)))
    c.operands.erase(c.operands.begin() + 1, c.operands.begin() + input_count(c));
  for (Operand& operand : c.operands) {
    if (!operand.shape.empty()) operand.shape = {1};
    operand.layout = contiguous_layout(static_cast<int>(operand.shape.size()));
    operand.slices = SlicePlacement::kByLayout;
    operand.own_shape = false;
  }
  return with_zeros(std::move(c));
}

}  // namespace

Case with_one_element(Case c) {
  c = with_small_operands(std::move(c), 1);
  const auto is_small = [](const Operand& operand) { return numel(operand.shape) <= 1; };
  if (numel(operator_of(c).result(c).shape) <= 1 && std::ranges::all_of(c.operands, is_small))
    return c;
  // Some sizes are not those of the result, but what one tensor has more than another.
  return with_small_operands(std::move(c), 0);
}

}  // namespace indexfuzz
