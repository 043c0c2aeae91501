// index(self, indices): self[indices], a copy of the elements that a list of positions, masks and
// gaps (None) selects.
// https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing, which PyTorch follows.
//
// Agreement: exact for every dtype, since elements are only moved. Positions are int32 or int64,
// and negative ones wrap; masks are bool or uint8. ATen checks positions only if something is
// selected.
//
// A self or a mask of rank 0 is not drawn, since ATen does not treat them consistently.

#include "ops/definition/operator.h"
#include "ops/families/advanced_index.h"
#include "ops/families/index_rules.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_values.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndices = 1;

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue},
    {.name = "indices", .role = Role::kIndexOrMask, .is_list = true, .on_host = OnHost::kAlways}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kIndices)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "index", "Tensor", "torch.ops.aten.index.Tensor({self}, {indices})",
     "at::index({self}, {indices})"},
    {Variant::kOut, "index", "Tensor_out",
     "torch.ops.aten.index.Tensor_out({self}, {indices}, out={out})",
     "at::index_out({out}, {self}, {indices})"},
};
// Left out: index.Tensor_hacked_twin (index.Tensor without gaps), _unsafe_index (unchecked), and
// TorchScript's overloads for lists and strings.
constexpr Overload kOverloads[] = {{"Tensor", kOperands, {}, kParameters, kForms}};

ResultSpec result(const Case& c) {
  return {indexed_shape(c).shape(), c.operands[kSelf].dtype};
}

void repair_index(Case& c, const Limits& limits) {
  {
    Operand& self = c.operands[kSelf];
    clamp_dtype(self.dtype, limits.dtypes);
    clamp_shape(self.shape, limits.max_rank, limits.max_elements);
    if (self.shape.empty()) self.shape = {1};
  }
  fit_index_list(c, limits);
  clamp_fill(c.operands[kSelf].fill, FillFamily::kValue);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  static thread_local Selection selection;
  // The result takes the place of index_put's values: having the indexed shape, it is not
  // broadcast.
  select(input, result(c).shape, selection);
  move_elements(c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  for_each_selected(selection, [&](std::int64_t element, std::int64_t i) {
                    to[i] = from[element];
                  });
                });
}

bool shares_memory_with_position(Case& c) {
  const int k = first_positions(c);
  return c.variant == Variant::kOut && k >= 0 && share_memory(c, k);
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return poke_position(c, End::kBelow); }},
    {2, "index_above", [](Case& c) { return poke_position(c, End::kAbove); }},
    {3, "index_dtype", change_position_dtype},
    {4, "mask_shape", enlarge_mask},
    // ATen accepts some such lists, and so does a kernel that forwards the list to ATen.
    {5, "too_many_indices", add_one_index_too_many, kATenOnly},
    {6, "indices_shape", mismatch_positions},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself", overlap_written},
    {9, "out_is_self",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kSelf); }},
    {10, "out_is_index", shares_memory_with_position},
    {11, "self_empty", empty_indexed_dimension, kByValue},
    {12, "later_index_below", [](Case& c) { return poke_later_position(c, End::kBelow); }},
    {13, "later_index_above", [](Case& c) { return poke_later_position(c, End::kAbove); }},
    {14, "later_index_dtype", change_later_position_dtype},
    {15, "mask_longer", lengthen_mask},
    {16, "mask_shorter", shorten_mask},
    {17, "mask_counts", mismatch_masks},
    // In NumPy and Python an empty list of indices selects everything.
    {18, "no_indices", leave_no_index, kATenOnly},
    {19, "index_dtype_narrow", narrow_position_dtype, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 14,
    .name = "index",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index,
    .result = result,
    .index_bound = bound_in_list,
    .table = self_by_first_index,
    .wraps_negative_indices = true,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .aten_only = has_gaps_alone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
