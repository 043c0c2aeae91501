// masked_scatter(self, mask, source): a copy of self in which the elements where mask is set are
// replaced, in row-major order, by the first elements of source.
// https://pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html
//
// Agreement: exact; NaN agrees with any NaN. The mask is bool; source has self's dtype, any shape,
// and at least as many elements as are replaced. Self and mask broadcast together; in place, the
// mask broadcasts to self.
//
// There is no rule against an out that is an input, since the out= form computes the whole result
// before it writes it, and none against an in-place self that shares memory with the mask, since
// the number of set elements would not be known.

#include "case/broadcast.h"
#include "ops/definition/operator.h"
#include "ops/families/mask.h"
#include "ops/families/mask_rules.h"
#include "ops/families/masked_elements.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kMaskOperand = 1, kSource = 2;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue},
                                     {.name = "mask", .role = Role::kMask, .broadcasts = true},
                                     {.name = "source", .role = Role::kValue, .any_shape = true}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kMaskOperand), operand(kSource)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "masked_scatter", "", "torch.masked_scatter({self}, {mask}, {source})",
     "at::masked_scatter({self}, {mask}, {source})"},
    {Variant::kInPlace, "masked_scatter_", "", "{self}.masked_scatter_({mask}, {source})",
     "{self}.masked_scatter_({mask}, {source})"},
    {Variant::kOut, "masked_scatter", "out",
     "torch.ops.aten.masked_scatter.out({self}, {mask}, {source}, out={out})",
     "at::masked_scatter_out({out}, {self}, {mask}, {source})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, {}, kParameters, kForms}};

ResultSpec result(const Case& c) {
  return {broadcast_shape(c.operands[kSelf].shape, c.operands[kMaskOperand].shape),
          c.operands[kSelf].dtype};
}

std::int64_t replaced_elements(const Case& c) {
  return selected_elements(c.operands[kSelf].shape, c.operands[kMaskOperand]);
}

void repair_masked_scatter(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& mask = c.operands[kMaskOperand];
  Operand& source = c.operands[kSource];
  clamp_dtype(self.dtype, limits.dtypes);
  source.dtype = self.dtype;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  fit_mask(mask, self.shape, c.variant, limits);
  clamp_shape(source.shape, limits.max_rank, limits.max_elements);
  const std::int64_t needed = replaced_elements(c);
  if (numel(source.shape) < needed) hold_elements(source.shape, needed);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(source.fill, FillFamily::kValue);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  move_elements(self.dtype, destination, input.operands[kSelf].data,
                [&]<typename E>(E* to, const E* from) {
                  const E* source = elements(E{}, input.operands[kSource].data);
                  for_each_masked(self.shape, input.c.operands[kMaskOperand].shape,
                                  input.operands[kMaskOperand].data,
                                  [&](std::int64_t i, std::int64_t element, bool selected) {
                                    to[i] = selected ? *source++ : from[element];
                                  });
                });
}

constexpr IllegalRule kRules[] = {
    {1, "mask_dtype", mask_rules::mask_dtype},
    {2, "mask_shape", mask_rules::mask_shape},
    {3, "mask_larger_than_self", mask_rules::mask_larger_than_self},
    {4, "source_dtype", [](Case& c) { return mismatch_dtype(c, kSource, kSelf); }},
    {5, "source_too_short",
     [](Case& c) {
       const std::int64_t needed = replaced_elements(c);
       if (needed == 0) return false;
       return become_vector(c, kSource, needed - 1);
     },
     kByValue},
    {6, "self_overlaps_itself",
     [](Case& c) { return c.variant == Variant::kInPlace && overlap_written(c); }},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself",
     [](Case& c) { return c.variant == Variant::kOut && overlap_written(c); }},
    {9, "mask_shape_in_front", mask_rules::mask_shape_in_front},
    {10, "mask_rank", mask_rules::mask_rank},
    // ATen does not check this, and neither does a kernel that forwards self to ATen.
    {11, "source_is_written",
     [](Case& c) { return c.variant == Variant::kInPlace && share_memory(c, kSource); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 7,
    .name = "masked_scatter",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_masked_scatter,
    .result = result,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
