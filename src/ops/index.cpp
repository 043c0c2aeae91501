// index(self, indices): self[indices], a copy of the elements that a list of positions, masks and
// gaps (None) selects.
// https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing, which PyTorch follows.
//
// Agreement: exact for every dtype, since elements are only moved. Positions are int32 or int64,
// and negative ones wrap; masks are bool or uint8. ATen checks positions only if something is
// selected.
//
// A self or a mask of rank 0 is not drawn, since ATen does not treat them consistently.

#include "ops/families/advanced_index.h"
#include "ops/families/index_rules.h"
#include "ops/families/moves.h"
#include "ops/illegal.h"
#include "ops/operator.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndices = 1;

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue},
    {.name = "indices", .role = Role::kIndexOrMask, .is_list = true, .on_host = OnHost::kAlways}};
constexpr Parameter kParameters[] = {{Parameter::Kind::kOperand, kSelf},
                                     {Parameter::Kind::kOperand, kIndices}};
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
  return {indexed_shape(c, kSelf, kIndices).shape(), c.operands[kSelf].dtype};
}

void repair_index(Case& c, const Limits& limits) {
  {
    Operand& self = c.operands[kSelf];
    clamp_dtype(self.dtype, limits.dtypes);
    clamp_shape(self.shape, limits.max_rank, limits.max_elements);
    if (self.shape.empty()) self.shape = {1};
  }
  fit_index_list(c, kSelf, kIndices, limits);
  clamp_fill(c.operands[kSelf].fill, FillFamily::kValue);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  static thread_local Selection selection;
  // The result takes the place of index_put's values: having the indexed shape, it is not
  // broadcast.
  select(input, kSelf, kIndices, result(c).shape, selection);
  move_elements(c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  for_each_selected(selection, [&](std::int64_t element, std::int64_t i) {
                    to[i] = from[element];
                  });
                });
}

bool shares_memory_with_position(Case& c) {
  const int k = first_of_list(c, kIndices, false);
  return c.variant == Variant::kOut && k >= 0 && share_memory(c, k);
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return poke_position(c, kSelf, kIndices, false); }},
    {2, "index_above", [](Case& c) { return poke_position(c, kSelf, kIndices, true); }},
    {3, "index_dtype", [](Case& c) { return change_position_dtype(c, kIndices); }},
    {4, "mask_shape", [](Case& c) { return enlarge_mask(c, kIndices); }},
    // ATen accepts some such lists, and so does a kernel that forwards the list to ATen.
    {5, "too_many_indices", [](Case& c) { return add_one_index_too_many(c, kSelf, kIndices); },
     !kByValue, kATenOnly},
    {6, "indices_shape", [](Case& c) { return mismatch_positions(c, kIndices); }},
    {7, "out_dtype", [](Case& c) { return change_out_dtype(c); }},
    {8, "out_overlaps_itself", [](Case& c) { return overlap_written(c); }},
    {9, "out_is_self",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kSelf); }},
    {10, "out_is_index", shares_memory_with_position},
    {11, "self_empty", [](Case& c) { return empty_indexed_dimension(c, kSelf, kIndices); },
     kByValue},
    {12, "later_index_below",
     [](Case& c) { return poke_later_position(c, kSelf, kIndices, false); }},
    {13, "later_index_above",
     [](Case& c) { return poke_later_position(c, kSelf, kIndices, true); }},
    {14, "later_index_dtype", [](Case& c) { return change_later_position_dtype(c, kIndices); }},
    {15, "mask_longer", [](Case& c) { return lengthen_mask(c, kIndices); }},
    {16, "mask_shorter", [](Case& c) { return shorten_mask(c, kIndices); }},
    {17, "mask_counts", [](Case& c) { return mismatch_masks(c, kIndices); }},
    // In NumPy and Python an empty list of indices selects everything.
    {18, "no_indices", [](Case& c) { return leave_no_index(c, kIndices); }, !kByValue, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 14,
    .name = "index",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index,
    .result = result,
    .index_bound = [](const Case& c,
                      int operand) { return bound_in_list(c, kSelf, kIndices, operand); },
    .wraps_negative_indices = true,
    .oracle = oracle,
    .agreement = [](const Case&) { return Agreement::kExact; },
    .aten_only = has_gaps_alone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
