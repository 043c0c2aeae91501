// Writes the fills of case/fill.h. Frozen: stored cases rely on exactly these values.

#include "ops/fills/write_fill.h"

#include <vector>

#include "case/number.h"
#include "ops/definition/operator.h"
#include "ops/fills/write_masks.h"
#include "ops/fills/write_positions.h"
#include "ops/fills/write_values.h"
#include "ops/numbers/cast.h"

namespace indexfuzz {
namespace {

/// Writes elements of which the call's conversion keeps the value: numbers of `held`, converted to
/// the operand's dtype.
void write_castable(const Case& c, int k, Dtype held, std::byte* destination) {
  const Operand& operand = operand_at(c, k);
  static thread_local std::vector<std::byte> narrow;
  const std::int64_t count = numel(operand.shape);
  narrow.resize(static_cast<std::size_t>(count) * item_size(held));
  write_values(c, k, held, narrow.data());
  convert(held, narrow.data(), operand.dtype, destination, count);
}

/// The dtype in which an operand that the call converts to `target` is written.
Dtype held_dtype(const Operand& operand, Dtype target) {
  const DtypeInfo &own = info(operand.dtype), &other = info(target);
  // Only a broken rule asks for the conversion of a complex number to a real one.
  if (is_complex(operand.dtype) && !is_complex(target)) return operand.dtype;
  const bool drops_fractions = own.family == DtypeFamily::kFloating &&
                               (other.family == DtypeFamily::kBool ||
                                (other.family == DtypeFamily::kInteger && other.is_signed));
  const FillKind kind = operand.fill.kind;
  if (kind == FillKind::kFactor1 && drops_fractions) return operand.dtype;
  if (kind == FillKind::kWrapped1 && alters_numbers(operand.dtype, target)) return operand.dtype;
  // Any integer but 0 is true, even if it does not fit into a byte, or its lowest byte is 0.
  const bool is_truth = own.family == DtypeFamily::kInteger && other.family == DtypeFamily::kBool;
  const bool is_large =
      kind == FillKind::kFactor1 || kind == FillKind::kSpecial1 || kind == FillKind::kHash1;
  if (is_truth && is_large) return operand.dtype;
  if (kind == FillKind::kBetween1 && holds_between(operand.dtype, target)) return operand.dtype;
  return common_values(operand.dtype, target);
}

}  // namespace

void write_fill(const Case& c, int k, std::byte* destination) {
  const Operand& operand = operand_at(c, k);
  const OperatorInfo& op = operator_of(c);
  switch (family(operand.fill.kind)) {
    case FillFamily::kMask:
      if (is_mask(operand)) return write_mask(operand, destination);
      return write_truths(operand, destination);
    case FillFamily::kIndex:
      write_indices(operand, op.index_bound(c, k), destination);
      if (op.confine_indices != nullptr) op.confine_indices(c, k, destination);
      if (operand.poked) write_poked_index(operand, destination);
      return;
    case FillFamily::kValue: break;
  }
  if (operand.poked) return write_exact(operand.dtype, operand.poke_value, destination);
  const Dtype held = op.cast_to != nullptr ? held_dtype(operand, op.cast_to(c, k)) : operand.dtype;
  if (held == operand.dtype) return write_values(c, k, held, destination);
  write_castable(c, k, held, destination);
}

}  // namespace indexfuzz
