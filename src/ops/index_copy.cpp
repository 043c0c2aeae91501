// index_copy(self, dim, index, source): a copy of self in which slice index[i] is source's slice i.
// https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html
//
// Agreement: if several indices name the same slice, any of their sources may win, independently
// for each element. Indices are int64, at most one-dimensional and never negative. Source has
// self's dtype and one slice per index. A self or source of rank 0 counts as one slice: such a
// source goes with one index and a self of rank 0 or 1; such a self takes any number of indices
// with a source of rank 1.

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/families/self_dim.h"
#include "ops/families/slice_rules.h"
#include "ops/families/slices.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSource = 2;
constexpr int kDim = 0;

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue}, {"index", Role::kIndex}, {"source", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand),
                                     operand(kSource)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "index_copy", "", "torch.index_copy({self}, {dim}, {index}, {source})",
     "at::index_copy({self}, {dim}, {index}, {source})"},
    {Variant::kInPlace, "index_copy_", "", "{self}.index_copy_({dim}, {index}, {source})",
     "{self}.index_copy_({dim}, {index}, {source})"},
    {Variant::kOut, "index_copy", "out",
     "torch.index_copy({self}, {dim}, {index}, {source}, out={out})",
     "at::index_copy_out({out}, {self}, {dim}, {index}, {source})"},
};
// Left out: index_copy.dimname, which only looks up a dimension's name.
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

void repair_index_copy(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  Operand& source = c.operands[kSource];
  clamp_dtype(self.dtype, limits.dtypes);
  index.dtype = Dtype::kInt64;
  source.dtype = self.dtype;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  fit_slice_index(index.shape, self.shape, dim_of(c), limits);
  const std::int64_t indices = numel(index.shape);
  const bool is_scalar = source.shape.empty() && rank(self.shape) <= 1 && indices == 1;
  if (!is_scalar) source.shape = with_slices(self.shape, dim_of(c), indices);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  clamp_fill(source.fill, FillFamily::kValue);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  copy_operand(input, kSelf, destination);
  move_elements(
      self.dtype, destination, input.operands[kSource].data, [&](auto* to, const auto* from) {
        for_each_slice_run(self.shape, dim_of(input.c), IndexReader(input, kIndexOperand),
                           [&](std::int64_t i, std::int64_t element, std::int64_t length) {
                             copy_run(from + i, length, to + element);
                           });
      });
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  const Dims& self = input.c.operands[kSelf].shape;
  pass_moves(input, kSource, sink, context, [&](auto&& pass) {
    for_each_slice_run(self, dim_of(input.c), IndexReader(input, kIndexOperand),
                       [&](std::int64_t from, std::int64_t element, std::int64_t length) {
                         for (std::int64_t i = 0; i < length; ++i) pass(element + i, from + i);
                       });
  });
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", slice_rules::index_below},
    {2, "index_above", slice_rules::index_above},
    {3, "index_rank", slice_rules::index_rank},
    {4, "index_dtype", slice_rules::index_dtype},
    {5, "dim_above", dim_above},
    {6, "source_dtype", slice_rules::source_dtype},
    {7, "source_rank",
     [](Case& c) {
       // In place of a source of rank 0, one of rank 1 is legal too.
       return !c.operands[kSource].shape.empty() && slice_rules::source_rank(c);
     }},
    {8, "source_count", slice_rules::source_count},
    {9, "source_shape", slice_rules::source_shape},
    {10, "source_is_written", slice_rules::source_is_written},
    {11, "written_overlaps_itself", overlap_written},
    {12, "out_dtype", change_out_dtype},
    {13, "self_empty", slice_rules::self_empty, kByValue | kATenOnly},
    {14, "index_is_written", slice_rules::index_is_written},
    {15, "dim_below", dim_below},
    {16, "source_rank_lower", slice_rules::source_rank_lower},
    {17, "index_dtype_narrow", slice_rules::index_dtype_narrow, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 11,
    .name = "index_copy",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index_copy,
    .result = result_like_self,
    .index_bound = bound_along_dim,
    .table = written_self_along_first_dim,
    .oracle = oracle,
    .agreement = always<Agreement::kAnyContributor>,
    .contributions = contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
