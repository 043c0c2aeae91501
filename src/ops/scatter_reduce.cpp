// scatter_reduce(self, dim, index, src, reduce, include_self): for dim = 0, combines
// self[index[i][j]][j] with src[i][j] to their sum, product, mean, maximum or minimum, and so on.
// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
//
// Agreement: as reductions.h says. Indices are int32 or int64, never negative; src has self's dtype
// and may be larger than index.

#include "ops/definition/operator.h"
#include "ops/families/along_dim.h"
#include "ops/families/reductions.h"
#include "ops/families/scatter_rules.h"
#include "ops/families/self_dim.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_arguments.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSrc = 2;
constexpr int kDim = 0, kReduce = 1, kIncludeSelf = 2;

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue}, {"index", Role::kIndex}, {"src", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim},
                                         {"reduce", AttributeType::kChoice, kReductions},
                                         {"include_self", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim),    operand(kIndexOperand),
                                     operand(kSrc),  attribute(kReduce), attribute(kIncludeSelf)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "scatter_reduce", "two",
     "torch.scatter_reduce({self}, {dim}, {index}, {src}, {reduce}, include_self={include_self})",
     "at::scatter_reduce({self}, {dim}, {index}, {src}, {reduce}, {include_self})"},
    {Variant::kInPlace, "scatter_reduce_", "two",
     "{self}.scatter_reduce_({dim}, {index}, {src}, {reduce}, include_self={include_self})",
     "{self}.scatter_reduce_({dim}, {index}, {src}, {reduce}, {include_self})"},
    {Variant::kOut, "scatter_reduce", "two_out",
     "torch.ops.aten.scatter_reduce.two_out({self}, {dim}, {index}, {src}, {reduce}, "
     "include_self={include_self}, out={out})",
     "at::scatter_reduce_out({out}, {self}, {dim}, {index}, {src}, {reduce}, {include_self})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

Reduction reduction_of(const Case& c) {
  return static_cast<Reduction>(c.attributes[kReduce]);
}

void repair_scatter_reduce(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  Operand& src = c.operands[kSrc];
  clamp_choice(c.attributes[kReduce], std::size(kReductions));
  clamp_bool(c.attributes[kIncludeSelf]);
  settle_reduction(c, kReduce, Reduction::kSum, limits);
  clamp_dtype(index.dtype, limits.index_dtypes);
  src.dtype = self.dtype;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  fit_scattered(c, kIndexOperand, kSrc, limits);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  clamp_fill(src.fill, FillFamily::kValue);
  settle_reduction_fills(reduction_of(c), self, src,
                         is_distinct_along(index, dim_of(c), bound_along_dim(c, kIndexOperand)));
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  reduce_pairs(input, kSrc, reduction_of(c), c.attributes[kIncludeSelf] != 0,
               scattered_pairs(input), destination);
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  mean_terms(input, kSrc, input.c.attributes[kIncludeSelf] != 0, scattered_pairs(input), sink,
             context);
}

constexpr auto kRules = with_rules(
    kScatterRules,
    {{20, "reduce_unknown", [](Case& c) { return has_indices(c) && choose_unknown(c, kReduce); }}});

const OperatorInfo kInfo{
    .number = 19,
    .name = "scatter_reduce",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_scatter_reduce,
    .result = result_like_self,
    .index_bound = bound_along_dim,
    .oracle = oracle,
    .agreement = [](const Case& c) { return agreement_of(reduction_of(c)); },
    .uses = [](const Case& c, int operand) { return uses_in(reduction_of(c), c, operand); },
    .contributions = contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
