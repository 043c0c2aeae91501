#include "ops/repair.h"

#include <algorithm>

#include "case/far_slices.h"
#include "ops/cast.h"
#include "ops/operator.h"

namespace indexfuzz {

void clamp_shape(Dims& shape, int max_rank, std::int64_t max_elements) {
  if (rank(shape) > max_rank) shape.resize(static_cast<std::size_t>(max_rank));
  std::int64_t count = 1;
  for (std::int64_t& size : shape) {
    size = std::clamp<std::int64_t>(size, 0, max_elements);
    // No overflow: `count` and `size` are at most max_elements, hence at most kMostElements.
    while (count * std::max<std::int64_t>(size, 1) > max_elements) size /= 2;
    count *= std::max<std::int64_t>(size, 1);
  }
}

bool is_within(const Dims& shape, const Limits& limits) {
  Dims clamped = shape;
  clamp_shape(clamped, kMaxDims, limits.max_elements);
  return clamped == shape;
}

void clamp_to_nothing(Dims& shape) {
  if (numel(shape) == 0) return;
  if (shape.empty()) shape.push_back(0);
  shape.front() = 0;
}

void hold_elements(Dims& shape, std::int64_t count) {
  if (numel(shape) == count) return;
  if (count == 0) return clamp_to_nothing(shape);
  if (shape.empty()) shape.push_back(1);
  for (std::size_t d = shape.size(); d-- > 1;) {
    std::int64_t size = std::clamp<std::int64_t>(shape[d], 1, count);
    while (count % size != 0) --size;
    shape[d] = size;
    count /= size;
  }
  shape[0] = count;
}

void clamp_dim(std::int64_t& dim, int rank) {
  const std::int64_t r = std::max(rank, 1);
  if (dim < -r || dim >= r) dim = ((dim % r) + r) % r;
}

int wrapped_dim(std::int64_t dim, int rank) {
  return static_cast<int>(dim < 0 ? dim + std::max(rank, 1) : dim);
}

std::int64_t size_at(const Dims& shape, int dim) {
  return 0 <= dim && dim < rank(shape) ? shape[static_cast<std::size_t>(dim)] : 1;
}

void clamp_bool(std::int64_t& attribute) {
  attribute = attribute & 1;
}

void clamp_choice(std::int64_t& attribute, std::size_t count) {
  const auto choices = static_cast<std::int64_t>(count);
  if (attribute < 0 || attribute >= choices) attribute = (attribute % choices + choices) % choices;
}

void clamp_dtype(Dtype& dtype, DtypeSet allowed) {
  if (static_cast<int>(dtype) >= kDtypeCount) dtype = Dtype::kFloat;
  while (!contains(allowed, dtype))
    dtype = static_cast<Dtype>((static_cast<int>(dtype) + 1) % kDtypeCount);
}

DtypeSet within(DtypeSet own, const Limits& limits) {
  return (own & limits.dtypes) != 0 ? own & limits.dtypes : own;
}

void clamp_fill(Fill& fill, FillFamily wanted) {
  if (family(fill.kind) != wanted) {
    switch (wanted) {
      case FillFamily::kValue: fill.kind = FillKind::kIndex; break;
      case FillFamily::kIndex: fill.kind = FillKind::kRandom1; break;
      case FillFamily::kMask: fill.kind = FillKind::kMaskSpread1; break;
    }
  }
  if (wanted != FillFamily::kIndex) fill.negatives = Negatives::kNone;
  if (wanted != FillFamily::kMask) fill.popcount = 0;
}

void clamp_zero_dim(Operand& value, Dtype target, const Limits& limits) {
  clamp_dtype(value.dtype, limits.dtypes);
  const bool complex = info(value.dtype).family == DtypeFamily::kComplex;
  if (complex && info(target).family != DtypeFamily::kComplex) value.dtype = target;
  value.shape.clear();
  clamp_fill(value.fill, FillFamily::kValue);
}

void clamp_scalar(Operand& scalar, Dtype target) {
  const bool complex = info(target).family == DtypeFamily::kComplex;
  clamp_dtype(scalar.dtype,
              complex ? kScalarDtypes : kScalarDtypes & ~set_of(Dtype::kComplexDouble));
  scalar.shape.clear();
  scalar.layout = contiguous_layout(0);
  scalar.guard = Guard::kLeft;
  clamp_fill(scalar.fill, FillFamily::kValue);
}

void set_rank(Dims& shape, int wanted) {
  while (rank(shape) > wanted) shape.erase(shape.begin());
  while (rank(shape) < wanted) shape.insert(shape.begin(), 1);
}

namespace {

/// The plainest fill for sums whose values are multiples of the same unit as those of `sums`: of 1,
/// of a fraction (kSums2) or of a subnormal number (kSums6).
FillKind grid(FillKind sums) {
  return sums == FillKind::kSums2 || sums == FillKind::kSums6 ? sums : FillKind::kSums1;
}

}  // namespace

void demand_settled_sums(Operand& self, Operand& source, bool adds_once) {
  if (!is_floating_or_complex(self.dtype)) return;
  // Narrower formats have no bits to spare for fractions.
  const bool is_wide = info(self.dtype).exact_bits >= 24;
  const bool may_round = adds_once && rounds_in_one_way(self.dtype);
  if (may_round &&
      (self.fill.kind == FillKind::kSums4 || (!is_wide && self.fill.kind == FillKind::kHash1))) {
    self.fill.kind = source.fill.kind = FillKind::kSums4;
    return;
  }
  for (Operand* operand : {&self, &source}) {
    FillKind& kind = operand->fill.kind;
    if (kind == FillKind::kZeros) continue;
    if (is_wide && (kind == FillKind::kHash1 || kind == FillKind::kSums2))
      kind = FillKind::kSums2;
    else if (kind == FillKind::kSpecial1 || kind == FillKind::kSums3)
      kind = FillKind::kSums3;
    else if (!is_wide || kind != FillKind::kSums6)
      kind = FillKind::kSums1;
  }
  // Sums are exact only if both operands are on one grid; take self's.
  FillKind& kind = source.fill.kind;
  if (self.fill.kind == FillKind::kZeros || kind == FillKind::kZeros) return;
  if (grid(kind) != grid(self.fill.kind)) kind = grid(self.fill.kind);
}

void demand_settled_means(Operand& self, Operand& source) {
  demand_settled_sums(self, source, false);
  // Subnormal numbers are too coarse for other quotients than halves and quarters.
  for (Operand* operand : {&self, &source})
    if (operand->fill.kind == FillKind::kSums6) operand->fill.kind = FillKind::kSums1;
}

std::int64_t distinct_values(const Operand& operand) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (!((operand.fill.repeats >> d) & 1)) count *= operand.shape[d];
  }
  return count;
}

namespace {

/// Drops dimensions that are gone from the order, and appends new ones.
void fit_order(Layout& layout, std::size_t rank) {
  if (layout.order.size() != rank) {
    layout.order.erase(std::remove_if(layout.order.begin(), layout.order.end(),
                                      [&](std::uint8_t d) { return d >= rank; }),
                       layout.order.end());
    for (std::size_t d = layout.order.size(); d < rank; ++d)
      layout.order.push_back(static_cast<std::uint8_t>(d));
  }
  layout.dims.resize(rank);
}

/// Clears the traits of each dimension that do not fit its size or its neighbour in memory.
void fit_dims(Layout& layout, const Dims& shape) {
  const std::size_t rank = shape.size();
  for (std::size_t p = 0; p < rank; ++p) {
    DimLayout& dim = layout.dims[layout.order[p]];
    if (dim.slides) {
      // A sliding dimension needs a successor in memory that neither slides nor is expanded, and
      // has no trait of its own but the step.
      dim.slides = p + 1 < rank && !layout.dims[layout.order[p + 1]].expanded &&
                   !layout.dims[layout.order[p + 1]].slides && shape[layout.order[p]] > 0;
      if (dim.slides) dim = {dim.step, 0, 0, false, true};
    }
    if (dim.expanded) dim = {1, 0, 0, true, false};
    // A step has no effect on fewer than two elements.
    if (shape[layout.order[p]] < 2 && !dim.slides) dim.step = 1;
  }
}

/// Every expanded dimension repeats. A sliding dimension and its successor share values by address,
/// which repeating one of them would contradict.
std::uint16_t fit_repeats(std::uint16_t repeats, const Layout& layout) {
  const std::size_t rank = layout.dims.size();
  std::uint32_t fitting = repeats & ((1u << rank) - 1);
  for (std::size_t d = 0; d < rank; ++d) {
    if (layout.dims[d].expanded) fitting |= 1u << d;
  }
  for (std::size_t p = 0; p + 1 < rank; ++p) {
    if (layout.dims[layout.order[p]].slides)
      fitting &= ~((1u << layout.order[p]) | (1u << layout.order[p + 1]));
  }
  return static_cast<std::uint16_t>(fitting);
}

bool is_too_large(const Operand& operand, const Limits& limits) {
  const std::int64_t most =
      limits.max_storage_bytes / static_cast<std::int64_t>(item_size(operand.dtype));
  std::int64_t product = 1;
  for (const BaseDim& base : base_of(operand.shape, operand.layout)) {
    product *= std::max<std::int64_t>(base.length, 1);
    if (product > most) return true;
  }
  return operand.layout.offset + product > most;
}

}  // namespace

void settle_layout(Operand& operand, const Limits& limits, bool may_expand, bool may_overlap) {
  Layout& layout = operand.layout;
  const std::size_t rank = operand.shape.size();
  if (!limits.strided) make_contiguous(layout, static_cast<int>(rank));
  // A shortcut for the many operands that have nothing to settle.
  if (layout.dims.size() == rank && layout.order.size() == rank && is_contiguous(layout)) {
    operand.fill.repeats &= static_cast<std::uint16_t>((1u << rank) - 1);
    return;
  }
  fit_order(layout, rank);
  layout.offset = std::clamp<std::int16_t>(layout.offset, 0, 4096);
  for (DimLayout& dim : layout.dims) {
    dim.step = std::clamp<std::int16_t>(dim.step, 1, 64);
    dim.before = std::clamp<std::int16_t>(dim.before, 0, 256);
    dim.after = std::clamp<std::int16_t>(dim.after, 0, 256);
    if (!limits.expanded || !may_expand) dim.expanded = false;
    if (!limits.overlapping || !may_overlap) dim.slides = false;
  }
  fit_dims(layout, operand.shape);
  operand.fill.repeats = fit_repeats(operand.fill.repeats, layout);
  if (is_contiguous(layout) || !is_too_large(operand, limits)) return;
  for (DimLayout& dim : layout.dims) dim.step = 1, dim.before = 0, dim.after = 0;
  layout.offset = 0;
  if (is_too_large(operand, limits)) layout = contiguous_layout(static_cast<int>(rank));
}

namespace {

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
  const bool has_list = !overload.operands.empty() && overload.operands.back().is_list;
  const std::size_t fixed = overload.operands.size() - (has_list ? 1 : 0);
  const std::size_t out = c.variant == Variant::kOut ? 1 : 0;
  const std::size_t least = fixed + out + (has_list ? 1 : 0);
  if (c.operands.size() < least) c.operands.resize(least);
  if (!has_list && c.operands.size() > least) c.operands.resize(least);
  for (std::size_t a = overload.attributes.size(); a < c.attributes.size(); ++a)
    c.attributes[a] = 0;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    operand.shares_memory_with = -1;
    operand.poked = false;
    operand.poke_position = operand.poke_value = 0;
    const bool is_out = k + out == c.operands.size();
    operand.own_shape &= is_out;
    if (k < fixed || is_out) operand.present = true;
    if (!operand.present)
      operand = [] {
        Operand none;
        none.present = false;
        return none;
      }();
  }
}

/// Replaces kBetween1 unless the call rounds the operand's numbers when it converts them.
void settle_between(Case& c, int k) {
  Operand& operand = c.operands[static_cast<std::size_t>(k)];
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
  settle_layout(out, limits, false, false);
  if (out.own_shape && numel(out.shape) == 0) out.layout = contiguous_layout(rank(out.shape));
}

/// Settles the GPU settings, of which limits without `gpu` leave only `deterministic`, and each
/// operand's `on_host` and `slices`. Illegal cases have neither operands on the host nor far
/// slices.
void settle_places(Case& c, const Limits& limits) {
  if (!limits.gpu) c.gpu = {.deterministic = c.gpu.deterministic};
  const bool on_host = limits.gpu && c.breaks == 0;
  const bool far = limits.strided && c.breaks == 0;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    if (operand.slices == Slices::kNear && !operand.on_host) continue;
    const OperandSpec& spec = spec_of(c, static_cast<int>(k));
    switch (spec.on_host) {
      case OnHost::kNever: operand.on_host = false; break;
      case OnHost::kZeroDim: operand.on_host &= on_host && operand.shape.empty(); break;
      case OnHost::kAlways: operand.on_host &= on_host; break;
    }
    if (static_cast<int>(k) == written_operand(c)) operand.on_host = false;
    const auto slices = far_slices(operand);
    if (!far || operand.on_host || operand.own_shape || spec.role == Role::kScalar || !slices)
      operand.slices = Slices::kNear;
    // With two slices no offset exceeds the stride: at half the distance all fit into 31 bits.
    if (operand.slices == Slices::kHalfFar && slices->count == 2) operand.slices = Slices::kFar;
    // Each slice begins at a page of its own; none ends at one.
    if (operand.slices != Slices::kNear) operand.guard = Guard::kLeft;
  }
}

}  // namespace

void repair(Case& c, const Limits& limits) {
  settle_structure(c);
  repair(c.environment);
  const OperatorInfo& row = operator_of(c);
  row.repair(c, limits);
  const int written = written_operand(c);
  const int inputs = input_count(c);
  for (int k = 0; k < inputs; ++k) {
    Operand& operand = c.operands[static_cast<std::size_t>(k)];
    if (!operand.present) continue;
    const FillFamily fills = family(operand.fill.kind);
    if (fills == FillFamily::kIndex && (!row.wraps_negative_indices || !limits.negative_indices)) {
      operand.fill.negatives = Negatives::kNone;
    }
    settle_between(c, k);
    FillKind& kind = operand.fill.kind;
    if (kind == FillKind::kSums6 && !limits.subnormal_sums) kind = FillKind::kSums1;
    clear_unread_seed(operand.fill);
    const bool mask = fills == FillFamily::kMask;
    // The mask's layout was settled by the operator, before its popcount was.
    settle_layout(operand, limits, k != written, k != written && !mask);
  }
  if (c.variant == Variant::kOut) settle_out(c, limits);
  if (c.breaks != 0) {
    Case broken = c;
    if (!limits.illegal || !apply_rule(broken)) c.breaks = 0;
  }
  settle_places(c, limits);
}

}  // namespace indexfuzz
