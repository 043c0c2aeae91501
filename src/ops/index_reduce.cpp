// index_reduce(self, dim, index, source, reduce, include_self): combines slice index[i] of self
// with slice i of source, element by element, to their product, mean, maximum or minimum.
// https://pytorch.org/docs/stable/generated/torch.Tensor.index_reduce_.html
//
// Agreement: as reductions.h says. Indices are int32 or int64, at most one-dimensional and never
// negative. Source has self's dtype and one slice per index; a self of rank 0 takes one index and a
// source of rank 0.

#include "ops/definition/operator.h"
#include "ops/families/reductions.h"
#include "ops/families/self_dim.h"
#include "ops/families/slice_rules.h"
#include "ops/families/slices.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_arguments.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSource = 2;
constexpr int kDim = 0, kReduce = 1, kIncludeSelf = 2;

/// All reductions except the sum, which index_add computes.
constexpr std::span kIndexReductions = std::span(kReductions).subspan<1>();

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue}, {"index", Role::kIndex}, {"source", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim},
                                         {"reduce", AttributeType::kChoice, kIndexReductions},
                                         {"include_self", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kSelf),   attribute(kDim),    operand(kIndexOperand),
                                     operand(kSource), attribute(kReduce), attribute(kIncludeSelf)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "index_reduce", "",
     "torch.index_reduce({self}, {dim}, {index}, {source}, {reduce}, include_self={include_self})",
     "at::index_reduce({self}, {dim}, {index}, {source}, {reduce}, {include_self})"},
    {Variant::kInPlace, "index_reduce_", "",
     "{self}.index_reduce_({dim}, {index}, {source}, {reduce}, include_self={include_self})",
     "{self}.index_reduce_({dim}, {index}, {source}, {reduce}, {include_self})"},
    {Variant::kOut, "index_reduce", "out",
     "torch.index_reduce({self}, {dim}, {index}, {source}, {reduce}, include_self={include_self}, "
     "out={out})",
     "at::index_reduce_out({out}, {self}, {dim}, {index}, {source}, {reduce}, {include_self})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

Reduction reduction_of(const Case& c) {
  return static_cast<Reduction>(c.attributes[kReduce] + 1);
}

void repair_index_reduce(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  Operand& source = c.operands[kSource];
  clamp_choice(c.attributes[kReduce], kIndexReductions.size());
  clamp_bool(c.attributes[kIncludeSelf]);
  settle_reduction(c, kReduce, Reduction::kProd, limits);
  clamp_dtype(index.dtype, limits.index_dtypes);
  source.dtype = self.dtype;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  fit_slice_source(c, kIndexOperand, kSource, limits);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  clamp_fill(source.fill, FillFamily::kValue);
  settle_reduction_fills(reduction_of(c), self, source,
                         is_distinct(index, bound_along_dim(c, kIndexOperand)));
}

const std::vector<ReducedPair>& pairs_of(const OracleInput& input) {
  const Case& c = input.c;
  static thread_local std::vector<ReducedPair> pairs;
  pairs.clear();
  for_each_slice_run(c.operands[kSelf].shape, dim_of(c), IndexReader(input, kIndexOperand),
                     [&](std::int64_t from, std::int64_t element, std::int64_t length) {
                       for (std::int64_t k = 0; k < length; ++k)
                         pairs.push_back({element + k, from + k});
                     });
  return pairs;
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  reduce_pairs(input, kSource, reduction_of(c), c.attributes[kIncludeSelf] != 0, pairs_of(input),
               destination);
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  mean_terms(input, kSource, input.c.attributes[kIncludeSelf] != 0, pairs_of(input), sink, context);
}

constexpr auto kRules = with_rules(
    kSliceRules, {{20, "reduce_unknown", [](Case& c) { return choose_unknown(c, kReduce); }}});

const OperatorInfo kInfo{
    .number = 20,
    .name = "index_reduce",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index_reduce,
    .result = result_like_self,
    .index_bound = bound_along_dim,
    .oracle = oracle,
    .agreement = [](const Case& c) { return agreement_of(reduction_of(c)); },
    .uses = [](const Case& c, int operand) { return uses_in(reduction_of(c), c, operand); },
    .contributions = contributions,
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
