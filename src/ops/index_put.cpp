// index_put(self, indices, values, accumulate): self[indices] = values, or += with accumulate.
// https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
//
// Agreement: with accumulate, integers wrap, bool is or, and floating point is filled so that every
// sum is exact in every order (fills sums1 to sums3 and sums6) or, if no element is selected twice,
// is rounded once (sums4); what Agreement::kSum admits besides is right, too. Without accumulate,
// if several positions select one element, any of their values may win. Positions are int32 or
// int64, and negative ones wrap; masks are bool or uint8. Values have self's dtype and broadcast to
// the indexed shape.
//
// A self or a mask of rank 0 is not drawn, since ATen does not treat them consistently.

#include "ops/definition/operator.h"
#include "ops/families/advanced_index.h"
#include "ops/families/index_rules.h"
#include "ops/families/moves.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/fit_broadcast.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kValues = 1, kIndices = 2;
constexpr int kAccumulate = 0;

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue},
    {.name = "values", .role = Role::kValue, .on_host = OnHost::kZeroDim},
    {.name = "indices", .role = Role::kIndexOrMask, .is_list = true, .on_host = OnHost::kAlways}};
constexpr AttributeSpec kAttributes[] = {{"accumulate", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kIndices), operand(kValues),
                                     attribute(kAccumulate)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "index_put", "",
     "torch.ops.aten.index_put({self}, {indices}, {values}, {accumulate})",
     "at::index_put({self}, {indices}, {values}, {accumulate})"},
    {Variant::kInPlace, "index_put_", "",
     "torch.ops.aten.index_put_({self}, {indices}, {values}, {accumulate})",
     "{self}.index_put_({indices}, {values}, {accumulate})"},
    {Variant::kOut, "index_put", "out",
     "torch.ops.aten.index_put.out({self}, {indices}, {values}, {accumulate}, out={out})",
     "at::index_put_out({out}, {self}, {indices}, {values}, {accumulate})"},
};
// Left out: index_put.hacked_twin (index_put without gaps), _index_put_impl_, and _unsafe_index_put
// (unchecked).
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

/// Whether the list is known to select no element twice: one mask alone, or distinct positions.
bool selects_each_once(const Case& c) {
  int only = -1;
  for (int k = kIndices; k < input_count(c); ++k) {
    if (!operand_at(c, k).present) continue;
    if (only >= 0) return false;
    only = k;
  }
  if (only < 0) return true;
  const Operand& operand = operand_at(c, only);
  return is_mask(operand) || is_distinct(operand, bound_in_list(c, only));
}

void repair_index_put(Case& c, const Limits& limits) {
  {
    Operand& self = c.operands[kSelf];
    clamp_dtype(self.dtype, limits.dtypes);
    clamp_shape(self.shape, limits.max_rank, limits.max_elements);
    if (self.shape.empty()) self.shape = {1};
    clamp_bool(c.attributes[kAccumulate]);
  }
  fit_index_list(c, limits);
  Operand& self = c.operands[kSelf];
  Operand& values = c.operands[kValues];
  values.dtype = self.dtype;
  fit_broadcast(values.shape, indexed_shape(c).shape());
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(values.fill, FillFamily::kValue);
  if (c.attributes[kAccumulate] != 0) settle_sums(self, values, selects_each_once(c));
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Dtype dtype = c.operands[kSelf].dtype;
  copy_operand(input, kSelf, destination);
  static thread_local Selection selection;
  select(input, c.operands[kValues].shape, selection);
  const std::byte* values = input.operands[kValues].data;
  if (c.attributes[kAccumulate] != 0) {
    as_addends(dtype, destination, values, [&](auto* to, const auto* from) {
      for_each_selected(selection, [&](std::int64_t element, std::int64_t value) {
        to[element].add(from[value]);
      });
    });
  } else {
    move_elements(dtype, destination, values, [&](auto* to, const auto* from) {
      for_each_selected(
          selection, [&](std::int64_t element, std::int64_t value) { to[element] = from[value]; });
    });
  }
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  Selection selection;
  select(input, input.c.operands[kValues].shape, selection);
  pass_moves(input, kValues, sink, context,
             [&](auto&& pass) { for_each_selected(selection, pass); });
}

/// Whether ATen handles the call as masked_fill, as it does for one value and masks only: it first
/// reads and converts the value, so that the value's dtype, shape and memory do not matter.
bool is_masked_fill(const Case& c) {
  return c.attributes[kAccumulate] == 0 && numel(c.operands[kValues].shape) == 1 &&
         first_positions(c) < 0;
}

/// Resizes one dimension of the values so that they no longer broadcast to the indexed shape.
bool mismatch_values(Case& c, int dim) {
  Operand& values = c.operands[kValues];
  if (dim < 0 || !selects_something(c)) return false;
  const Dims shape = indexed_shape(c).shape();
  const auto d = static_cast<std::size_t>(dim);
  const std::int64_t size = shape[shape.size() - values.shape.size() + d];
  resize_dimension(values, d, size == 1 ? 3 : size + 1);
  return true;
}

bool share_memory_with_position(Case& c) {
  const int k = first_positions(c);
  return c.variant == Variant::kInPlace && selects_something(c) && k >= 0 && share_memory(c, k);
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return poke_position(c, End::kBelow); }},
    {2, "index_above", [](Case& c) { return poke_position(c, End::kAbove); }},
    {3, "index_dtype", change_position_dtype},
    {4, "values_dtype",
     [](Case& c) { return !is_masked_fill(c) && mismatch_dtype(c, kValues, kSelf); }},
    {5, "values_shape",
     [](Case& c) { return mismatch_values(c, rank(c.operands[kValues].shape) - 1); }},
    {6, "mask_shape", enlarge_mask},
    // ATen accepts some such lists, and so does a kernel that forwards the list to ATen.
    {7, "too_many_indices", add_one_index_too_many, kATenOnly},
    {8, "self_is_values",
     [](Case& c) {
       return c.variant == Variant::kInPlace && selects_something(c) && !is_masked_fill(c) &&
              share_memory(c, kValues);
     }},
    // ATen only warns and writes all the same, and so does a kernel that forwards self to ATen.
    {9, "self_overlaps_itself", [](Case& c) { return selects_something(c) && overlap_written(c); },
     kATenOnly},
    {10, "self_empty",
     [](Case& c) { return c.variant != Variant::kOut && empty_indexed_dimension(c); },
     kByValue | kATenOnly},
    {11, "later_index_below", [](Case& c) { return poke_later_position(c, End::kBelow); }},
    {12, "later_index_above", [](Case& c) { return poke_later_position(c, End::kAbove); }},
    {13, "later_index_dtype", change_later_position_dtype},
    {14, "mask_longer", lengthen_mask},
    {15, "mask_shorter", shorten_mask},
    {16, "self_is_index", share_memory_with_position},
    {17, "indices_shape", mismatch_positions},
    {18, "values_shape_in_front",
     [](Case& c) { return rank(c.operands[kValues].shape) > 1 && mismatch_values(c, 0); }},
    {19, "mask_counts", mismatch_masks},
    // In NumPy and Python an empty list of indices selects everything.
    {20, "no_indices", leave_no_index, kATenOnly},
    {21, "index_dtype_narrow", narrow_position_dtype, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 4,
    .name = "index_put",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index_put,
    .result = result_like_self,
    .index_bound = bound_in_list,
    .table =
        [](const Case& c) {
          return c.variant == Variant::kInPlace ? self_by_first_index(c) : TableUse{};
        },
    .wraps_negative_indices = true,
    .oracle = oracle,
    .agreement =
        [](const Case& c) {
          return c.attributes[kAccumulate] != 0 ? Agreement::kSum : Agreement::kAnyContributor;
        },
    .uses =
        [](const Case& c, int operand) {
          // Values are broadcast to the indexed shape.
          const std::int64_t own = numel(c.operands[kValues].shape);
          return operand == kValues && own > 0 ? numel(indexed_shape(c).shape()) / own : 1;
        },
    .aten_only = has_gaps_alone,
    .contributions = contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
