#include "judge/sharing.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "case/number.h"
#include "judge/admissible.h"
#include "judge/same_view.h"

namespace indexfuzz {
namespace {

/// Whether an operand's elements were drawn so that their sums are exact: those of another one in
/// their place need not be.
bool is_drawn_for_sums(const Operand& operand) {
  return is_floating_or_complex(operand.dtype) && is_for_sums(operand.fill.kind);
}

}  // namespace

bool right_despite_sharing(const Arena& arena, const Observation& observation) {
  const Case& c = arena.current();
  const int written = written_operand(c);
  const auto guest = std::ranges::find_if(
      c.operands, [](const Operand& operand) { return operand.shares_memory_with >= 0; });
  if (written < 0 || guest == c.operands.end()) return false;
  const auto at = static_cast<std::size_t>(guest - c.operands.begin());
  const auto shares_with = static_cast<std::size_t>(guest->shares_memory_with);
  if (static_cast<int>(at) != written && (spec_of(c, static_cast<int>(at)).role != Role::kValue ||
                                          guest->dtype != c.operands[shares_with].dtype)) {
    return false;
  }
  if (observation.result_count > 1 ||
      (observation.result_count == 1 && observation.result.same_as_operand != written) ||
      !is_same_view(arena, written, observation.written)) {
    return false;
  }

  // Both are dense and begin at the same byte: the guest holds what its host was filled with.
  const PlacedOperand& host = arena.operands()[shares_with];
  OracleInput input = arena.oracle_input();
  std::vector<LogicalOperand> operands(input.operands.begin(), input.operands.end());
  operands[at].data = host.logical;
  input.operands = operands;
  const OperatorInfo& row = operator_of(c);
  const ResultSpec result = row.result(c);
  const std::size_t size = item_size(result.dtype);
  const auto bytes = static_cast<std::size_t>(numel(result.shape)) * size;
  std::vector<std::byte> expected(bytes);
  row.oracle(input, expected.data());

  const bool may_round = static_cast<int>(at) != written &&
                         (is_drawn_for_sums(*guest) || is_drawn_for_sums(c.operands[shares_with]));
  Admissible admissible(input, result.dtype);
  for (std::size_t i = 0; i * size < bytes && !may_round; ++i) {
    const std::byte* const want = expected.data() + i * size;
    const std::byte* const got = host.data + i * size;
    if (!same_number(result.dtype, want, got) &&
        !admissible.holds(static_cast<std::int64_t>(i), got))
      return false;
  }
  return std::memcmp(host.data + bytes, host.logical + bytes,
                     static_cast<std::size_t>(host.extent_bytes) - bytes) == 0;
}

bool takes_part_in_sharing(const Case& c, int k) {
  return c.operands[static_cast<std::size_t>(k)].shares_memory_with >= 0 ||
         std::ranges::any_of(c.operands,
                             [&](const Operand& other) { return other.shares_memory_with == k; });
}

}  // namespace indexfuzz
