#include "ops/contract/keeps.h"

#include <algorithm>

#include "case/far_slices.h"
#include "ops/contract/values.h"
#include "ops/fills/write_positions.h"
#include "ops/operator.h"

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
  if (are_apart(operand.slices)) return false;
  const Dims strides = strided(shape, operand.layout).strides;
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

bool is_aligned(const Operand& operand, std::int64_t alignment) {
  const auto item = static_cast<std::int64_t>(item_size(operand.dtype));
  // A view that ends at a guard page begins wherever its length says.
  return alignment <= item ||
         (operand.guard == Guard::kLeft &&
          strided(operand.shape, operand.layout).storage_offset * item % alignment == 0);
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

/// The first term of a tensor argument that operand k surely does not keep; empty if there is none.
std::string_view surely_broken(const TensorTerms& terms, const Operand& operand) {
  const auto fits = [&](std::int64_t size) { return holds(terms.size, size); };
  if (!contains(terms.dtypes, operand.dtype)) return "dtypes";
  if (!holds(terms.rank, rank(operand.shape))) return "rank";
  const Dims shape = called_shape(operand);
  if (!std::ranges::all_of(shape, fits)) return "size";
  if (!shape.empty() && !holds(terms.last_size, shape.back())) return "last_size";
  if (!holds(terms.elements, numel(shape))) return "elements";
  if (!keeps_strides(operand, terms.strides)) return "strides";
  if (!terms.expanded && is_expanded(operand)) return "expanded";
  if (!terms.negative && is_negative(operand)) return "negative";
  return {};
}

/// As surely_broken(), for a term that operand k may keep by chance.
std::string_view perhaps_broken(const TensorTerms& terms, const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  if (!terms.overlapping && has_sliding(operand.layout)) return "overlapping";
  if (!is_aligned(operand, terms.alignment)) return "alignment";
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
  return surely_broken(terms, operand_at(c, operand)).empty() &&
         perhaps_broken(terms, c, operand).empty();
}

std::optional<Breach> sure_breach(const Contract& contract, const Case& c) {
  const auto broken = first_broken(contract, c, [&](const TensorTerms& terms, int k) {
    return surely_broken(terms, operand_at(c, k));
  });
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
  applied.breaks = c.breaks;
  return !apply_rule(applied) || keeps(contract, applied);
}

std::string describe(const Breach& breach, const Case& c) {
  if (breach.operand < 0) return std::string(breach.term);
  return std::string(breach.term) + " of " + operand_name(c, breach.operand);
}

}  // namespace indexfuzz
