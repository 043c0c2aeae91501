#include "judge/sharing.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "case/number.h"
#include "case/strided_copy.h"
#include "case/walk.h"
#include "judge/admissible.h"
#include "ops/families/moves.h"

namespace indexfuzz {
namespace {

/// Whether an operand's elements were drawn so that their sums are exact. Sums of another operand's
/// elements in their place need not be.
bool is_drawn_for_sums(const Operand& operand) {
  return is_floating_or_complex(operand.dtype) && is_for_sums(operand.fill.kind);
}

/// Whether a sum of these elements of an integer dtype, each taken once more for a first one, may
/// leave the dtype: implementations may then divide what has wrapped, or what has not.
bool may_wrap(Dtype dtype, const std::byte* elements, std::int64_t count) {
  if (is_floating_or_complex(dtype)) return false;
  double sum = 0, largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double size =
        std::abs(to_double(dtype, elements + i * static_cast<std::int64_t>(item_size(dtype))));
    sum += size;
    largest = std::max(largest, size);
  }
  return sum + largest >= std::ldexp(1.0, info(dtype).exact_bits);
}

/// How far a product of so many elements that are drawn for products, other than those that belong
/// together, may lie from itself if it is rounded after each factor, as a share of it.
double rounding_of_product(const Operand& operand, std::int64_t factors) {
  if (info(operand.dtype).family != DtypeFamily::kFloating || !is_for_products(operand.fill.kind))
    return 0;
  const int bits = info(operand.dtype).exact_bits;
  // Exact: 5 factors of up to 3 take less than 8 bits.
  if (factors * 8 <= bits * 5) return 0;
  return std::expm1(std::ldexp(static_cast<double>(factors), -bits));
}

bool holds_legal_positions(const OracleInput& input, int operand) {
  const OperatorInfo& row = operator_of(input.c);
  const std::int64_t bound = row.index_bound(input.c, operand);
  const std::int64_t least = row.wraps_negative_indices ? -bound : 0;
  const IndexReader index(input, operand);
  for (std::int64_t i = 0; i < index.count(); ++i) {
    if (index[i] < least || index[i] >= bound) return false;
  }
  return true;
}

/// Whether the elements that a guest reads from its host's memory are legal ones.
bool holds_legal_elements(const OracleInput& input, int guest, int host) {
  const auto dtype_of = [&](int k) { return operand_at(input.c, k).dtype; };
  switch (spec_of(input.c, guest).role) {
    case Role::kValue: return dtype_of(guest) == dtype_of(host);
    case Role::kIndex: return holds_legal_positions(input, guest);
    case Role::kIndexOrMask:
      return !contains(kMaskDtypes, dtype_of(guest)) && holds_legal_positions(input, guest);
    case Role::kMask:
    case Role::kZeroOrNot:
    case Role::kScalar:
    case Role::kOut: return false;
  }
  return false;
}

/// The guest's elements before the call, dense: those of the host's elements that it covers.
std::vector<std::byte> elements_of_guest(const Case& c, std::size_t guest, std::size_t host,
                                         const std::byte* host_elements) {
  const Dims& shape = c.operands[guest].shape;
  const std::size_t size = item_size(c.operands[guest].dtype);
  const auto bytes = static_cast<std::size_t>(numel(shape)) * size;
  std::vector<std::byte> elements(bytes);
  if (!shares_with_gaps(c)) {  // the guest may have another dtype or rank
    const auto before = static_cast<std::size_t>(c.operands[guest].layout.offset) * size;
    std::memcpy(elements.data(), host_elements + before, bytes);
    return elements;
  }
  gather_elements(shape, row_major_strides(c.operands[host].shape), size, host_elements,
                  elements.data());
  return elements;
}

}  // namespace

int guest_of(const Case& c) {
  const auto guest =
      std::ranges::find_if(c.operands, [](const Operand& o) { return o.shares_memory_with >= 0; });
  return guest == c.operands.end() ? -1 : static_cast<int>(guest - c.operands.begin());
}

bool takes_part_in_sharing(const Case& c, int k) {
  const int guest = guest_of(c);
  return guest >= 0 && (k == guest || k == operand_at(c, guest).shares_memory_with);
}

bool lies_in(const Case& c, int guest, int host) {
  return guest >= 0 && operand_at(c, guest).shares_memory_with == host;
}

std::vector<std::byte> image_with_written(const Arena& arena) {
  const Case& c = arena.current();
  const int host = operand_at(c, guest_of(c)).shares_memory_with;
  const PlacedOperand& shared = arena.operands()[static_cast<std::size_t>(host)];
  const std::byte* const before = arena.image(host);
  std::vector<std::byte> image(before, before + shared.extent_bytes);
  const auto written = static_cast<std::size_t>(written_operand(c));
  const PlacedOperand& placed = arena.operands()[written];
  const std::size_t size = item_size(c.operands[written].dtype);
  const std::ptrdiff_t begin = placed.data - shared.data;
  for_each_element(
      c.operands[written].shape,
      [&](std::int64_t, std::int64_t offset) {
        const std::ptrdiff_t at = begin + offset * static_cast<std::ptrdiff_t>(size);
        std::memcpy(image.data() + at, shared.data + at, size);
      },
      placed.view.strides);
  return image;
}

bool grows_into_host(const Case& c) {
  const int guest = guest_of(c);
  return guest >= 0 && operand_at(c, guest).own_shape;
}

bool overwrites_positions(const Case& c) {
  const int guest = guest_of(c), written = written_operand(c);
  if (guest < 0) return false;
  const int host = operand_at(c, guest).shares_memory_with;
  return spec_of(c, guest == written ? host : guest).role != Role::kValue;
}

bool shares_with_gaps(const Case& c) {
  const int guest = guest_of(c);
  return guest >= 0 && has_gaps_or_order(operand_at(c, guest).layout);
}

bool right_despite_sharing(const Arena& arena) {
  const Case& c = arena.current();
  const int guest = guest_of(c);
  const bool is_written = guest == written_operand(c);
  const auto at = static_cast<std::size_t>(guest);
  const auto shares_with = static_cast<std::size_t>(c.operands[at].shares_memory_with);
  const PlacedOperand& host = arena.operands()[shares_with];
  OracleInput input = arena.oracle_input();
  std::vector<LogicalOperand> operands(input.operands.begin(), input.operands.end());
  const auto held = elements_of_guest(c, at, shares_with, host.logical);
  operands[at].data = held.data();
  input.operands = operands;
  if (!is_written && !holds_legal_elements(input, guest, static_cast<int>(shares_with)))
    return false;

  const OperatorInfo& row = operator_of(c);
  const ResultSpec result = row.result(c);
  const std::size_t size = item_size(result.dtype);
  const auto bytes = static_cast<std::size_t>(numel(result.shape)) * size;
  std::vector<std::byte> expected(bytes);
  row.oracle(input, expected.data());

  // Elements that are only moved are never rounded.
  const bool is_combined = !is_written && row.agreement(c) != Agreement::kAnyContributor;
  const bool may_round =
      is_combined &&
      (is_drawn_for_sums(c.operands[at]) || is_drawn_for_sums(c.operands[shares_with]) ||
       (row.agreement(c) == Agreement::kMean && may_wrap(result.dtype, host.logical, host.count)));
  const std::int64_t factors = 1 + numel(c.operands[at].shape);
  const double rounding = is_combined
                              ? std::max(rounding_of_product(c.operands[at], factors),
                                         rounding_of_product(c.operands[shares_with], factors))
                              : 0;
  const auto is_near = [&](const std::byte* want, const std::byte* got) {
    const double right = rounding > 0 ? to_double(result.dtype, want) : 0;
    return rounding > 0 &&
           std::abs(to_double(result.dtype, got) - right) <= std::abs(right) * rounding;
  };
  Admissible admissible(input, result.dtype, {.is_custom = true});
  const auto& written = arena.operands()[static_cast<std::size_t>(written_operand(c))];
  bool right = true;
  for_each_element(
      result.shape,
      [&](std::int64_t i, std::int64_t offset) {
        const std::byte* const want = &expected[static_cast<std::size_t>(i) * size];
        const std::byte* const got = written.data + offset * static_cast<std::int64_t>(size);
        right = right && (may_round || same_number(result.dtype, want, got) ||
                          admissible.holds(i, want, got) || is_near(want, got));
      },
      written.view.strides);
  const std::vector<std::byte> image = image_with_written(arena);
  return right && std::memcmp(image.data(), host.data, image.size()) == 0;
}

}  // namespace indexfuzz
