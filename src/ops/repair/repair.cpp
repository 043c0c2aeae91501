#include "ops/repair/repair.h"

#include <algorithm>

#include "case/far_slices.h"
#include "ops/contract/keeps.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"
#include "ops/fills/table.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"
#include "ops/repair/narrow.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {

namespace {

/// How often a case is brought into a contract before it is left outside.
constexpr int kMostNarrowings = 4;

void settle_structure(Case& c) {
  const OperatorInfo* row = find_operator(c.op);
  if (row == nullptr) {
    row = operators().front();
    c.op = row->number;
  }
  if (c.overload >= row->overloads.size()) c.overload = 0;
  const Overload& overload = row->overloads[c.overload];
  if (find_form(overload, c.variant) == nullptr) {
    c.variant = overload.forms.front().variant;
  }
  const bool has_list = overload.operands.back().is_list;
  const bool has_gaps = lists_indices(overload);
  const std::size_t fixed = overload.operands.size() - (has_list ? 1 : 0);
  const std::size_t out = c.variant == Variant::kOut ? 1 : 0;
  const std::size_t least = fixed + out + (has_list ? 1 : 0);
  if (c.operands.size() < least) c.operands.resize(least);
  if (!has_list && c.operands.size() > least) c.operands.resize(least);
  for (std::size_t a = overload.attributes.size(); a < c.attributes.size(); ++a)
    c.attributes[a] = 0;
  c.misfit_list = {};
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    operand.shares_memory_with = -1;
    operand.poked = false;
    operand.poke_position = operand.poke_value = 0;
    const bool is_out = k + out == c.operands.size();
    operand.own_shape &= is_out;
    if (k < fixed || is_out || !has_gaps) operand.present = true;
    if (!operand.present)
      operand = [] {
        Operand none;
        none.present = false;
        return none;
      }();
  }
}

/// The limits as an overload's operands take them: most have no indices of 8 or 16 bits.
Limits limits_of(const Overload& overload, Limits limits) {
  if (std::ranges::none_of(overload.operands, &OperandSpec::any_integer))
    limits.index_dtypes &= kIndexDtypes;
  return limits;
}

/// Replaces kBetween1 unless the call rounds the operand's numbers when it converts them.
void settle_between(Case& c, int k) {
  Operand& operand = operand_at(c, k);
  if (operand.fill.kind != FillKind::kBetween1) return;
  const auto cast_to = operator_of(c).cast_to;
  if (cast_to == nullptr || !holds_between(operand.dtype, cast_to(c, k)))
    operand.fill.kind = FillKind::kHash1;
}

/// Clears a seed that the fill does not read, so that equal cases compare equal.
void clear_unread_seed(Fill& fill) {
  if (!reads_seed(fill)) fill.seed = 0;
}

/// `out` either has the result's shape, or one of its own and is resized by the call. The shape (0)
/// counts as its own unless it is the result's.
void settle_out(Case& c, const Limits& limits) {
  Operand& out = c.operands.back();
  const ResultSpec result = operator_of(c).result(c);
  out.dtype = result.dtype;
  if (out.own_shape) clamp_shape(out.shape, limits.max_rank, limits.max_elements);
  out.own_shape = (out.own_shape || out.shape == Dims{0}) && out.shape != result.shape;
  if (!out.own_shape) out.shape = result.shape;
  clamp_fill(out.fill, FillFamily::kValue);
  if (is_for_sums(out.fill.kind) || out.fill.kind == FillKind::kBetween1)
    out.fill.kind = FillKind::kIndex;
  clear_unread_seed(out.fill);
  settle_layout(out, limits, Overlap::kNone);
  if (out.own_shape && numel(out.shape) == 0) out.layout = contiguous_layout(rank(out.shape));
}

/// Where the slices of operand k, which asks for other places than its layout's, can lie.
SlicePlacement settled_slices(const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  const OperandSpec& spec = spec_of(c, k);
  if (operand.on_host || operand.own_shape || spec.role == Role::kScalar || spec.copies_storage)
    return SlicePlacement::kByLayout;
  if (are_last(operand.slices))
    return may_be_table(c, k) ? operand.slices : SlicePlacement::kByLayout;
  const auto slices = far_slices(operand);
  if (!slices) return SlicePlacement::kByLayout;
  // With two slices no offset exceeds the stride: at half the distance all fit into 31 bits.
  return operand.slices == SlicePlacement::kApartBy2To30 && slices->count == 2
             ? SlicePlacement::kApartBy2To31
             : operand.slices;
}

/// Settles the GPU settings, of which limits without `gpu` leave only `deterministic`, and each
/// operand's `on_host` and `slices`. Illegal cases have neither operands on the host nor slices
/// elsewhere than their layouts say.
void settle_places(Case& c, const Limits& limits) {
  if (!limits.gpu) c.gpu = {.deterministic = c.gpu.deterministic};
  c.gpu.idle_others &= c.gpu.side_stream;
  const bool on_host = limits.gpu && c.breaks == 0;
  const bool far = limits.strided && c.breaks == 0;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    if (operand.slices == SlicePlacement::kByLayout && !operand.on_host) continue;
    const OperandSpec& spec = spec_of(c, static_cast<int>(k));
    switch (spec.on_host) {
      case OnHost::kNever: operand.on_host = false; break;
      case OnHost::kZeroDim: operand.on_host &= on_host && operand.shape.empty(); break;
      case OnHost::kAlways: operand.on_host &= on_host; break;
    }
    if (static_cast<int>(k) == written_operand(c)) operand.on_host = false;
    if (operand.slices == SlicePlacement::kByLayout) continue;
    operand.slices = far ? settled_slices(c, static_cast<int>(k)) : SlicePlacement::kByLayout;
    // Each slice begins at a page of its own; none ends at one.
    if (operand.slices != SlicePlacement::kByLayout) operand.guard = Guard::kLeft;
  }
}

/// The rest of repair(), for a case whose operator, overload and operands exist.
void make_legal(Case& c, const Limits& limits) {
  const OperatorInfo& row = operator_of(c);
  row.repair(c, limits_of(overload_of(c), limits));
  const int written = written_operand(c);
  const int inputs = input_count(c);
  for (int k = 0; k < inputs; ++k) {
    Operand& operand = operand_at(c, k);
    if (!operand.present) continue;
    const FillFamily fills = family(operand.fill.kind);
    if (fills == FillFamily::kIndex && (!row.wraps_negative_indices || !limits.negative_indices)) {
      operand.fill.negatives = Negatives::kNone;
    }
    settle_between(c, k);
    FillKind& kind = operand.fill.kind;
    if (is_subnormal(kind) && !limits.subnormal_sums) kind = FillKind::kSums1;
    clear_unread_seed(operand.fill);
    // A mask's layout was settled by the operator, before its popcount was.
    const Overlap unwritten = fills == FillFamily::kMask ? Overlap::kExpanded : Overlap::kAny;
    settle_layout(operand, limits, k == written ? Overlap::kNone : unwritten);
  }
  if (c.variant == Variant::kOut) settle_out(c, limits);
  if (c.breaks != 0) {
    Case broken = c;
    if (!limits.illegal || !apply_rule(broken)) c.breaks = 0;
  }
  settle_places(c, limits);
}

}  // namespace

void repair(Case& c, const Limits& limits) {
  settle_structure(c);
  repair(c.environment);
  make_legal(c, limits);
  if (limits.contract == nullptr) return;
  // What is legal may depend on what was narrowed: a smaller self has fewer positions.
  for (int i = 0; i < kMostNarrowings && !keeps(*limits.contract, c); ++i) {
    narrow(*limits.contract, c);
    make_legal(c, limits);
  }
}

}  // namespace indexfuzz
