// masked_select(self, mask): a one-dimensional copy of the elements of self where mask is set, in
// row-major order. https://pytorch.org/docs/stable/generated/torch.masked_select.html
//
// Agreement: exact; NaN agrees with any NaN. The mask is bool. Self and mask broadcast together.

#include "ops/definition/operator.h"
#include "ops/families/mask.h"
#include "ops/families/mask_rules.h"
#include "ops/families/masked_elements.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kMaskOperand = 1;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue},
                                     {.name = "mask", .role = Role::kMask, .broadcasts = true}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kMaskOperand)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "masked_select", "", "torch.masked_select({self}, {mask})",
     "at::masked_select({self}, {mask})"},
    {Variant::kOut, "masked_select", "out", "torch.masked_select({self}, {mask}, out={out})",
     "at::masked_select_out({out}, {self}, {mask})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, {}, kParameters, kForms}};

ResultSpec result(const Case& c) {
  const Operand& self = c.operands[kSelf];
  return {{selected_elements(self.shape, c.operands[kMaskOperand])}, self.dtype};
}

void repair_masked_select(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& mask = c.operands[kMaskOperand];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  fit_mask(mask, self.shape, c.variant, limits);
  clamp_fill(self.fill, FillFamily::kValue);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  move_elements(self.dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  for_each_masked(self.shape, input.c.operands[kMaskOperand].shape,
                                  input.operands[kMaskOperand].data,
                                  [&](std::int64_t, std::int64_t element, bool selected) {
                                    if (selected) *to++ = from[element];
                                  });
                });
}

constexpr IllegalRule kRules[] = {
    {1, "mask_dtype", mask_rules::mask_dtype},
    {2, "mask_shape", mask_rules::mask_shape},
    {3, "out_dtype", change_out_dtype},
    {4, "out_overlaps_itself",
     [](Case& c) { return c.variant == Variant::kOut && overlap_written(c); }},
    {5, "out_is_self",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kSelf); }},
    {6, "out_is_mask",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kMaskOperand); }},
    {7, "mask_shape_in_front", mask_rules::mask_shape_in_front},
};

const OperatorInfo kInfo{
    .number = 6,
    .name = "masked_select",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_masked_select,
    .result = result,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .shape_by_values = true,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
