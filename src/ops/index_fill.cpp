// index_fill(self, dim, index, value): a copy of self with value in the slices that index names.
// https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html
//
// Agreement: exact for every dtype, since value is drawn so that self's dtype holds it exactly or
// all implementations convert it alike. Indices are int64, at most one-dimensional, and negative
// ones wrap. A self of rank 0 counts as one slice. Value is a number or a tensor of rank 0.
//
// There is no rule against an out that is an input: the out= forms compute the whole result before
// they write it.

#include <algorithm>

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/families/self_dim.h"
#include "ops/families/slice_rules.h"
#include "ops/families/slices.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kValue = 2;
constexpr int kDim = 0;
enum OverloadIndex : std::uint8_t { kScalarValue, kTensorValue };

constexpr OperandSpec kScalarOperands[] = {
    {"self", Role::kValue}, {"index", Role::kIndex}, {"value", Role::kScalar}};
constexpr OperandSpec kTensorOperands[] = {
    {"self", Role::kValue},
    {"index", Role::kIndex},
    {.name = "value", .role = Role::kValue, .on_host = OnHost::kZeroDim}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand),
                                     operand(kValue)};

/// The forms of the two overloads differ only in their overload names.
constexpr Form functional(std::string_view overload) {
  return {Variant::kFunctional, "index_fill", overload,
          "torch.index_fill({self}, {dim}, {index}, {value})",
          "at::index_fill({self}, {dim}, {index}, {value})"};
}
constexpr Form in_place(std::string_view overload) {
  return {Variant::kInPlace, "index_fill_", overload, "{self}.index_fill_({dim}, {index}, {value})",
          "{self}.index_fill_({dim}, {index}, {value})"};
}
constexpr Form kScalarForms[] = {
    functional("int_Scalar"),
    in_place("int_Scalar"),
    {Variant::kOut, "index_fill", "int_Scalar_out",
     "torch.ops.aten.index_fill.int_Scalar_out({self}, {dim}, {index}, {value}, out={out})",
     "at::index_fill_out({out}, {self}, {dim}, {index}, {value})"}};
constexpr Form kTensorForms[] = {
    functional("int_Tensor"),
    in_place("int_Tensor"),
    {Variant::kOut, "index_fill", "int_Tensor_out",
     "torch.ops.aten.index_fill.int_Tensor_out({self}, {dim}, {index}, {value}, out={out})",
     "at::index_fill_out({out}, {self}, {dim}, {index}, {value})"}};
// Left out: index_fill.Dimname_Scalar and .Dimname_Tensor, which only look up a dimension's name.
constexpr Overload kOverloads[] = {
    {"int_Scalar", kScalarOperands, kAttributes, kParameters, kScalarForms},
    {"int_Tensor", kTensorOperands, kAttributes, kParameters, kTensorForms}};

void repair_index_fill(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  Operand& value = c.operands[kValue];
  clamp_dtype(self.dtype, limits.dtypes);
  index.dtype = Dtype::kInt64;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  fit_slice_index(index.shape, self.shape, dim_of(c), limits);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  if (c.overload == kScalarValue) {
    clamp_scalar(value, self.dtype);
  } else {
    clamp_zero_dim(value, self.dtype, limits);
  }
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  copy_operand(input, kSelf, destination);
  std::byte value[16];
  convert(input.c.operands[kValue].dtype, input.operands[kValue].data, self.dtype, value, 1);
  move_elements(self.dtype, destination, value, [&](auto* to, const auto* from) {
    for_each_slice_run(self.shape, dim_of(input.c), IndexReader(input, kIndexOperand),
                       [&](std::int64_t, std::int64_t element, std::int64_t length) {
                         std::fill_n(to + element, length, *from);
                       });
  });
}

constexpr IllegalRule kRules[] = {
    {1, "index_below",
     [](Case& c) {
       return writes_slices(c, kIndexOperand) &&
              poke_index(c, kIndexOperand, -bound_along_dim(c, kIndexOperand) - 1);
     }},
    {2, "index_above", slice_rules::index_above},
    {3, "index_rank", slice_rules::index_rank},
    {4, "index_dtype", slice_rules::index_dtype},
    {5, "dim_above", dim_above},
    {6, "value_rank",
     [](Case& c) { return c.overload == kTensorValue && add_dimension(c, kValue, 1); }},
    {7, "value_complex", [](Case& c) { return make_complex(c, kValue, c.operands[kSelf].dtype); }},
    {8, "self_is_index",
     [](Case& c) {
       return c.variant == Variant::kInPlace && c.operands[kSelf].dtype == Dtype::kInt64 &&
              share_memory(c, kIndexOperand);
     }},
    {9, "out_dtype", change_out_dtype},
    {10, "out_overlaps_itself",
     [](Case& c) { return c.variant == Variant::kOut && overlap_written(c); }},
    {11, "self_empty", slice_rules::self_empty, kByValue | kATenOnly},
    {12, "value_overflows",
     [](Case& c) {
       return writes_slices(c, kIndexOperand) &&
              overflow_number(c, kValue, c.operands[kSelf].dtype);
     },
     kATenOnly},
    {13, "dim_below", dim_below},
    // ATen only warns and writes all the same, and so does a kernel that forwards self to ATen.
    {14, "self_overlaps_itself",
     [](Case& c) {
       return c.variant == Variant::kInPlace && writes_slices(c, kIndexOperand) &&
              overlap_written(c);
     },
     kATenOnly},
    {15, "index_dtype_narrow", slice_rules::index_dtype_narrow, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 10,
    .name = "index_fill",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index_fill,
    .result = result_like_self,
    .index_bound = bound_along_dim,
    .table = written_self_along_first_dim,
    .wraps_negative_indices = true,
    .cast_to = [](const Case& c, int) { return c.operands[kSelf].dtype; },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
