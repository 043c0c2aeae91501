// gather(self, dim, index): out[i][j] = self[index[i][j]][j] for dim = 0, and so on.
// https://pytorch.org/docs/stable/generated/torch.gather.html
//
// Agreement: exact for every dtype, since elements are only moved. Indices are int32 or int64,
// never negative. ATen checks nothing about an empty index except its shape, so the rules on the
// index do not apply to it.

#include "ops/definition/operator.h"
#include "ops/families/along_dim.h"
#include "ops/families/along_dim_rules.h"
#include "ops/families/moves.h"
#include "ops/families/self_dim.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1;
constexpr int kDim = 0, kSparseGrad = 1;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue}, {"index", Role::kIndex}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim},
                                         {"sparse_grad", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand),
                                     attribute(kSparseGrad)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "gather", "",
     "torch.gather({self}, {dim}, {index}, sparse_grad={sparse_grad})",
     "at::gather({self}, {dim}, {index}, {sparse_grad})"},
    {Variant::kOut, "gather", "out",
     "torch.gather({self}, {dim}, {index}, sparse_grad={sparse_grad}, out={out})",
     "at::gather_out({out}, {self}, {dim}, {index}, {sparse_grad})"},
};
// Left out: gather.dimname and .dimname_out, which only look up a dimension's name.
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

ResultSpec result(const Case& c) {
  return {c.operands[kIndexOperand].shape, c.operands[kSelf].dtype};
}

void repair_gather(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_dtype(index.dtype, limits.index_dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  clamp_bool(c.attributes[kSparseGrad]);
  clamp_shape(index.shape, limits.max_rank, limits.max_elements);
  fit_index(index.shape, self.shape, dim_of(c));
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  move_elements(
      self.dtype, destination, input.operands[kSelf].data, [&](auto* to, const auto* from) {
        for_each_along_dim(input.c.operands[kIndexOperand].shape, self.shape, dim_of(input.c),
                           IndexReader(input, kIndexOperand),
                           [&](std::int64_t i, std::int64_t element) { to[i] = from[element]; });
      });
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", along_dim_rules::index_below},
    {2, "index_above", along_dim_rules::index_above},
    {3, "index_rank", along_dim_rules::index_rank},
    {4, "index_dtype", along_dim_rules::index_dtype},
    {5, "dim_above", dim_above},
    {6, "index_beyond_self", along_dim_rules::index_beyond_self},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself", overlap_written},
    {9, "out_is_self",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kSelf); }},
    {10, "self_empty",
     [](Case& c) { return has_indices(c) && empty_dimension(c, kSelf, dim_of(c)); }, kByValue},
    {11, "dim_below", dim_below},
    {12, "index_rank_lower", along_dim_rules::index_rank_lower},
    {13, "index_dtype_narrow", along_dim_rules::index_dtype_narrow, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 2,
    .name = "gather",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_gather,
    .result = result,
    .index_bound = bound_along_dim,
    .table = self_along_first_dim,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
