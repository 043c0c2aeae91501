#include "ops/contract/keeps.h"

#include <algorithm>
#include <vector>

#include "case/far_slices.h"
#include "ops/contract/values.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"
#include "ops/fills/filled_positions.h"
#include "ops/fills/write_positions.h"

namespace indexfuzz {
namespace {

/// Whether the strides are those of a contiguous tensor with its dimensions in this order. Strides
/// of dimensions of size 1 do not matter, as in Tensor.is_contiguous.
bool is_dense(const Dims& shape, const Dims& strides, const decltype(Layout::order)& order) {
  std::int64_t expected = 1;
  for (std::size_t p = order.size(); p-- > 0;) {
    const std::size_t d = order[p];
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

bool keeps_strides(const Operand& operand, Strides terms) {
  const Dims& shape = operand.shape;
  if (terms == Strides::kAny || numel(shape) == 0) return true;
  const Dims strides = far_view(operand).strides;
  switch (terms) {
    case Strides::kAny: return true;
    case Strides::kRows: return shape.empty() || shape.back() == 1 || strides.back() == 1;
    case Strides::kDense: return is_dense(shape, strides, operand.layout.order);
    case Strides::kContiguous:
      return is_dense(shape, strides, contiguous_layout(rank(shape)).order);
  }
  return true;
}

bool is_expanded(const Operand& operand) {
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (operand.layout.dims[d].expanded && operand.shape[d] > 1) return true;
  }
  return false;
}

enum class Known : std::uint8_t { kNo, kYes, kUnknown };

/// Whether the first element is so aligned. A view that ends at a guard page begins wherever its
/// length says; one that has such a page in front, at a multiple of the page's size.
Known is_aligned(const Operand& operand, std::int64_t alignment) {
  const auto item = static_cast<std::int64_t>(item_size(operand.dtype));
  if (alignment <= item) return Known::kYes;
  if (operand.guard != Guard::kLeft) return Known::kUnknown;
  const std::int64_t offset = strided(operand.shape, operand.layout).storage_offset * item;
  if (offset % alignment == 0) return Known::kYes;
  const bool is_plain = operand.slices == SlicePlacement::kByLayout && numel(operand.shape) > 0;
  return is_plain ? Known::kNo : Known::kUnknown;
}

bool may_be_negative(const Operand& operand) {
  return operand.fill.negatives != Negatives::kNone || (operand.poked && operand.poke_value < 0);
}
bool is_negative(const Operand& operand) {
  return operand.fill.negatives == Negatives::kAll && numel(operand.shape) > 0;
}

/// Whether operand k surely holds no duplicates, unless it holds no indices.
bool has_no_duplicates(const Case& c, int k) {
  // Positions of an illegal case have no bound; those of its legal base were looked at.
  if (c.breaks != 0) return true;
  const Operand& operand = operand_at(c, k);
  if (family(operand.fill.kind) != FillFamily::kIndex) return true;
  // Indices that the fill makes distinct need not be once they are confined.
  if (operator_of(c).confine_indices != nullptr) return numel(operand.shape) <= 1;
  return is_distinct(operand, operator_of(c).index_bound(c, k));
}

/// Whether operand k surely names a position twice. Of indices of several dimensions a kernel may
/// compare only those that meet in one place.
bool has_duplicates(const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  if (rank(operand.shape) != 1 || has_no_duplicates(c, k)) return false;
  const std::int64_t bound = operator_of(c).index_bound(c, k);
  static thread_local std::vector<std::byte> bytes;
  static thread_local std::vector<std::int64_t> positions;
  const IndexReader reader = filled_positions(c, k, bytes);
  positions.clear();
  for (std::int64_t i = 0; i < reader.count(); ++i)
    positions.push_back(reader[i] < 0 ? reader[i] + bound : reader[i]);
  std::ranges::sort(positions);
  return std::ranges::adjacent_find(positions) != positions.end();
}

/// The first term of a tensor argument that operand k surely does not keep; empty if there is none.
std::string_view surely_broken(const TensorTerms& terms, const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  const auto fits = [&](std::int64_t size) { return holds(terms.size, size); };
  if (!contains(terms.dtypes, operand.dtype)) return "dtypes";
  if (!holds(terms.rank, rank(operand.shape))) return "rank";
  const Dims shape = called_shape(operand);
  if (!std::ranges::all_of(shape, fits)) return "size";
  if (!shape.empty() && !holds(terms.last_size, shape.back())) return "last_size";
  if (!holds(terms.elements, numel(shape))) return "elements";
  if (!keeps_strides(operand, terms.strides)) return "strides";
  if (!terms.expanded && is_expanded(operand)) return "expanded";
  if (is_aligned(operand, terms.alignment) == Known::kNo) return "alignment";
  if (!terms.negative && is_negative(operand)) return "negative";
  if (!terms.duplicates && has_duplicates(c, k)) return "duplicates";
  return {};
}

/// As surely_broken(), for a term that operand k may keep by chance.
std::string_view perhaps_broken(const TensorTerms& terms, const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  if (!terms.overlapping && has_sliding(operand.layout)) return "overlapping";
  if (is_aligned(operand, terms.alignment) == Known::kUnknown) return "alignment";
  if (!terms.negative && may_be_negative(operand)) return "negative";
  if (!terms.duplicates && !has_no_duplicates(c, k)) return "duplicates";
  return {};
}

template <typename Broken>
std::optional<Breach> first_broken(const Contract& contract, const Case& c, Broken broken) {
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    const TensorTerms* const terms = terms_of(contract, c, k);
    const std::string_view term = terms == nullptr ? std::string_view() : broken(*terms, k);
    if (!term.empty()) return Breach{k, term};
  }
  return std::nullopt;
}

}  // namespace

const TensorTerms* terms_of(const Contract& contract, const Case& c, int operand) {
  const OperandSpec& spec = spec_of(c, operand);
  if (!operand_at(c, operand).present || spec.role == Role::kScalar) return nullptr;
  const auto terms = std::ranges::find(contract.tensors, spec.name, &TensorTerms::argument);
  return terms == contract.tensors.end() ? nullptr : &*terms;
}

bool keeps(const TensorTerms& terms, const Case& c, int operand) {
  return surely_broken(terms, c, operand).empty() && perhaps_broken(terms, c, operand).empty();
}

std::optional<Breach> sure_breach(const Contract& contract, const Case& c) {
  const auto broken = first_broken(
      contract, c, [&](const TensorTerms& terms, int k) { return surely_broken(terms, c, k); });
  if (broken) return broken;
  for (const ValueTerms& terms : contract.values) {
    if (!takes_value(terms, c) && !takes_alias(terms, c)) return Breach{-1, terms.argument};
  }
  return std::nullopt;
}

std::optional<Breach> first_breach(const Contract& contract, const Case& c) {
  if (auto breach = sure_breach(contract, c)) return breach;
  const auto broken = first_broken(
      contract, c, [&](const TensorTerms& terms, int k) { return perhaps_broken(terms, c, k); });
  if (broken) return broken;
  for (const ValueTerms& terms : contract.values) {
    if (!takes_value(terms, c)) return Breach{-1, terms.argument};
  }
  return std::nullopt;
}

bool keeps_when_applied(const Contract& contract, const Case& c) {
  if (c.breaks == 0) return keeps(contract, c);
  Case applied = c;
  applied.breaks = 0;
  if (!keeps(contract, applied)) return false;
  // What breaks a rule must be refused, whatever else it breaks.
  if (contract.must_refuse) return true;
  applied.breaks = c.breaks;
  return !apply_rule(applied) || keeps(contract, applied);
}

std::string describe(const Breach& breach, const Case& c) {
  if (breach.operand < 0) return std::string(breach.term);
  return std::string(breach.term) + " of " + operand_name(c, breach.operand);
}

}  // namespace indexfuzz
