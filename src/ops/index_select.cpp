// index_select(self, dim, index): a copy of the slices of self along dim that index names.
// https://pytorch.org/docs/stable/generated/torch.index_select.html
//
// Agreement: exact for every dtype, since elements are only moved. Indices are int32 or int64, at
// most one-dimensional and never negative. A self of rank 0 counts as one slice and takes exactly
// one index.

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/families/self_dim.h"
#include "ops/families/slice_rules.h"
#include "ops/families/slices.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1;
constexpr int kDim = 0;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue}, {"index", Role::kIndex}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "index_select", "", "torch.index_select({self}, {dim}, {index})",
     "at::index_select({self}, {dim}, {index})"},
    {Variant::kOut, "index_select", "out", "torch.index_select({self}, {dim}, {index}, out={out})",
     "at::index_select_out({out}, {self}, {dim}, {index})"},
};
// Left out: index_select.dimname and .dimname_out, which only look up a dimension's name.
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

ResultSpec result(const Case& c) {
  ResultSpec spec{c.operands[kSelf].shape, c.operands[kSelf].dtype};
  if (!spec.shape.empty()) {
    spec.shape[static_cast<std::size_t>(dim_of(c))] = numel(c.operands[kIndexOperand].shape);
  }
  return spec;
}

/// Goes from what is chosen freely to what depends on it, so that it is idempotent: dim depends on
/// self's rank, and the number of indices on self's size along dim.
void repair_index_select(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_dtype(index.dtype, limits.index_dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  fit_slice_index(index.shape, self.shape, dim_of(c), limits);
  if (self.shape.empty() && numel(index.shape) != 1) index.shape = {1};
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  move_elements(
      self.dtype, destination, input.operands[kSelf].data, [&](auto* to, const auto* from) {
        for_each_slice_run(self.shape, dim_of(input.c), IndexReader(input, kIndexOperand),
                           [&](std::int64_t i, std::int64_t element, std::int64_t length) {
                             copy_run(from + element, length, to + i);
                           });
      });
}

// Each rule breaks a legal case, or returns false if it does not apply. ATen checks the indices
// only if the result has elements.
constexpr IllegalRule kRules[] = {
    {1, "index_below", slice_rules::index_below},
    {2, "index_above", slice_rules::index_above},
    {3, "index_rank", slice_rules::index_rank},
    {4, "index_dtype", slice_rules::index_dtype},
    {5, "dim_above", dim_above},
    {6, "out_dtype", change_out_dtype},
    {7, "out_overlaps_itself", overlap_written},
    {8, "out_is_self",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kSelf); }},
    {9, "scalar_takes_one_index",
     [](Case& c) {
       if (!c.operands[kSelf].shape.empty()) return false;
       c.operands[kIndexOperand].shape = {2};
       c.operands[kIndexOperand].layout = contiguous_layout(1);
       return true;
     }},
    {10, "self_empty",
     [](Case& c) { return numel(result(c).shape) > 0 && empty_dimension(c, kSelf, dim_of(c)); },
     kByValue},
    {11, "out_is_index",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kIndexOperand); }},
    {12, "dim_below", dim_below},
    {13, "index_dtype_narrow", slice_rules::index_dtype_narrow, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 1,
    .name = "index_select",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index_select,
    .result = result,
    .index_bound = bound_along_dim,
    .table = self_along_first_dim,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .takes_sparse = true,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
