// masked_fill(self, mask, value): a copy of self with value where mask is set.
// https://pytorch.org/docs/stable/generated/torch.Tensor.masked_fill_.html
//
// Agreement: exact for every dtype, since value is drawn so that self's dtype holds it exactly or
// all implementations convert it alike. The mask is bool. Self and mask broadcast together; in
// place, the mask broadcasts to self.
//
// There is no rule against an out that is an input: the out= forms compute the whole result before
// they write it.

#include "case/broadcast.h"
#include "ops/definition/operator.h"
#include "ops/families/mask.h"
#include "ops/families/mask_rules.h"
#include "ops/families/masked_elements.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kMaskOperand = 1, kValue = 2;
enum OverloadIndex : std::uint8_t { kScalarValue, kTensorValue };

constexpr OperandSpec kScalarOperands[] = {
    {"self", Role::kValue},
    {.name = "mask", .role = Role::kMask, .broadcasts = true},
    {"value", Role::kScalar}};
constexpr OperandSpec kTensorOperands[] = {
    {"self", Role::kValue},
    {.name = "mask", .role = Role::kMask, .broadcasts = true},
    {.name = "value", .role = Role::kValue, .on_host = OnHost::kZeroDim}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kMaskOperand), operand(kValue)};

/// The forms of the two overloads differ only in their overload names.
constexpr Form functional(std::string_view overload) {
  return {Variant::kFunctional, "masked_fill", overload,
          "torch.masked_fill({self}, {mask}, {value})", "at::masked_fill({self}, {mask}, {value})"};
}
constexpr Form in_place(std::string_view overload) {
  return {Variant::kInPlace, "masked_fill_", overload, "{self}.masked_fill_({mask}, {value})",
          "{self}.masked_fill_({mask}, {value})"};
}
constexpr Form kScalarForms[] = {
    functional("Scalar"),
    in_place("Scalar"),
    {Variant::kOut, "masked_fill", "Scalar_out",
     "torch.ops.aten.masked_fill.Scalar_out({self}, {mask}, {value}, out={out})",
     "at::masked_fill_out({out}, {self}, {mask}, {value})"}};
constexpr Form kTensorForms[] = {
    functional("Tensor"),
    in_place("Tensor"),
    {Variant::kOut, "masked_fill", "Tensor_out",
     "torch.ops.aten.masked_fill.Tensor_out({self}, {mask}, {value}, out={out})",
     "at::masked_fill_out({out}, {self}, {mask}, {value})"}};
constexpr Overload kOverloads[] = {{"Scalar", kScalarOperands, {}, kParameters, kScalarForms},
                                   {"Tensor", kTensorOperands, {}, kParameters, kTensorForms}};

ResultSpec result(const Case& c) {
  return {broadcast_shape(c.operands[kSelf].shape, c.operands[kMaskOperand].shape),
          c.operands[kSelf].dtype};
}

void repair_masked_fill(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& mask = c.operands[kMaskOperand];
  Operand& value = c.operands[kValue];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  fit_mask(mask, self.shape, c.variant, limits);
  clamp_fill(self.fill, FillFamily::kValue);
  if (c.overload == kScalarValue) {
    clamp_scalar(value, self.dtype);
  } else {
    clamp_zero_dim(value, self.dtype, limits);
  }
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  std::byte value[16];
  convert(input.c.operands[kValue].dtype, input.operands[kValue].data, self.dtype, value, 1);
  move_elements(self.dtype, destination, input.operands[kSelf].data,
                [&]<typename E>(E* to, const E* from) {
                  const E filled = *elements(E{}, value);
                  for_each_masked(self.shape, input.c.operands[kMaskOperand].shape,
                                  input.operands[kMaskOperand].data,
                                  [&](std::int64_t i, std::int64_t element, bool is_set) {
                                    to[i] = is_set ? filled : from[element];
                                  });
                });
}

constexpr IllegalRule kRules[] = {
    {1, "mask_dtype", mask_rules::mask_dtype},
    {2, "mask_shape", mask_rules::mask_shape},
    {3, "mask_larger_than_self", mask_rules::mask_larger_than_self},
    {4, "value_rank",
     [](Case& c) { return c.overload == kTensorValue && add_dimension(c, kValue, 1); }},
    {5, "value_complex", [](Case& c) { return make_complex(c, kValue, c.operands[kSelf].dtype); }},
    {6, "out_dtype", change_out_dtype},
    {7, "out_overlaps_itself",
     [](Case& c) { return c.variant == Variant::kOut && overlap_written(c); }},
    {8, "value_overflows",
     [](Case& c) {
       return numel(result(c).shape) > 0 && set_elements(c.operands[kMaskOperand]) > 0 &&
              overflow_number(c, kValue, c.operands[kSelf].dtype);
     },
     kATenOnly},
    {9, "mask_shape_in_front", mask_rules::mask_shape_in_front},
    {10, "mask_rank", mask_rules::mask_rank},
    // ATen only warns and writes all the same, and so does a kernel that forwards self to ATen.
    {11, "self_overlaps_itself",
     [](Case& c) {
       return c.variant == Variant::kInPlace && numel(c.operands[kSelf].shape) > 0 &&
              set_elements(c.operands[kMaskOperand]) > 0 && overlap_written(c);
     },
     kATenOnly},
    // A mask that is exactly self's memory is legal. Custom kernels need not check for a partial
    // overlap, which is rare.
    {12, "mask_is_written",
     [](Case& c) {
       return c.variant == Variant::kInPlace && c.operands[kSelf].dtype == Dtype::kBool &&
              numel(c.operands[kMaskOperand].shape) < numel(c.operands[kSelf].shape) &&
              share_memory(c, kMaskOperand);
     },
     kATenOnly},
};

const OperatorInfo kInfo{
    .number = 5,
    .name = "masked_fill",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_masked_fill,
    .result = result,
    .cast_to = [](const Case& c, int) { return c.operands[kSelf].dtype; },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
