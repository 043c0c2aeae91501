#include "ops/contract/keeps.h"

#include <algorithm>

#include "ops/contract/values.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

bool keeps_strides(const Operand& operand, Strides strides) {
  const Layout& layout = operand.layout;
  const auto is_dense = [](const DimLayout& dim) {
    return dim.step == 1 && dim.before == 0 && dim.after == 0 && !dim.expanded && !dim.slides;
  };
  const std::size_t rank = operand.shape.size();
  switch (strides) {
    case Strides::kAny: return true;
    case Strides::kRows: {
      if (rank == 0) return true;
      const DimLayout& last = layout.dims[rank - 1];
      return layout.order[rank - 1] == rank - 1 && last.step == 1 && !last.expanded && !last.slides;
    }
    case Strides::kDense:
      return operand.slices == Slices::kNear && std::ranges::all_of(layout.dims, is_dense);
    case Strides::kContiguous:
      return operand.slices == Slices::kNear && std::ranges::all_of(layout.dims, is_dense) &&
             std::ranges::is_sorted(layout.order);
  }
  return true;
}

bool is_aligned(const Operand& operand, std::int64_t alignment) {
  const auto item = static_cast<std::int64_t>(item_size(operand.dtype));
  // A view that ends at a guard page begins wherever its length says.
  return alignment <= item ||
         (operand.guard == Guard::kLeft &&
          strided(operand.shape, operand.layout).storage_offset * item % alignment == 0);
}

bool has_negatives(const Operand& operand) {
  return operand.fill.negatives != Negatives::kNone || (operand.poked && operand.poke_value < 0);
}

bool is_distinct(const Case& c, int k) {
  const Operand& operand = c.operands[static_cast<std::size_t>(k)];
  if (family(operand.fill.kind) != FillFamily::kIndex || numel(operand.shape) < 2) return true;
  const FillKind kind = operand.fill.kind;
  return (kind == FillKind::kDistinct1 || kind == FillKind::kAscending ||
          kind == FillKind::kDescending) &&
         operand.fill.repeats == 0 && numel(operand.shape) <= operator_of(c).index_bound(c, k);
}

/// The first term of a tensor argument that operand k does not keep; empty if it keeps all.
std::string_view broken_term(const TensorTerms& terms, const Case& c, int k) {
  const Operand& operand = c.operands[static_cast<std::size_t>(k)];
  const auto fits = [&](std::int64_t size) { return holds(terms.size, size); };
  if (!contains(terms.dtypes, operand.dtype)) return "dtypes";
  if (!holds(terms.rank, static_cast<std::int64_t>(operand.shape.size()))) return "rank";
  if (!std::ranges::all_of(operand.shape, fits)) return "size";
  if (!operand.shape.empty() && !holds(terms.last_size, operand.shape.back())) return "last_size";
  if (!holds(terms.elements, numel(operand.shape))) return "elements";
  if (!keeps_strides(operand, terms.strides)) return "strides";
  if (!terms.expanded && has_expanded(operand.layout)) return "expanded";
  if (!terms.overlapping && has_sliding(operand.layout)) return "overlapping";
  if (!is_aligned(operand, terms.alignment)) return "alignment";
  if (!terms.negative && has_negatives(operand)) return "negative";
  if (!terms.duplicates && !is_distinct(c, k)) return "duplicates";
  return {};
}

}  // namespace

const TensorTerms* terms_of(const Contract& contract, const Case& c, int operand) {
  const OperandSpec& spec = spec_of(c, operand);
  if (!c.operands[static_cast<std::size_t>(operand)].present || spec.role == Role::kScalar)
    return nullptr;
  const auto terms = std::ranges::find(contract.tensors, spec.name, &TensorTerms::argument);
  return terms == contract.tensors.end() ? nullptr : &*terms;
}

std::optional<Breach> first_breach(const Contract& contract, const Case& c) {
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    const TensorTerms* const terms = terms_of(contract, c, k);
    if (terms == nullptr) continue;
    const std::string_view term = broken_term(*terms, c, k);
    if (!term.empty()) return Breach{k, term};
  }
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
