// topk(self, k, dim, largest, sorted): the k greatest or, unless `largest`, least elements of each
// slice of self along dim, in descending or ascending order, and their positions in the slice.
// https://pytorch.org/docs/stable/generated/torch.topk.html
//
// Agreement: which of several equal elements are taken, and in which order, is not documented: what
// may stand where then says ordered_slices.h. Values of integers are exact all the same. ATen has
// integers, and floating point of more than 8 bits; it refuses complex numbers.
//
// Left out: `sorted` of False, for which any order is right. A self of rank 0 holds its element
// once, so that k is 1.

#include <algorithm>

#include "ops/definition/operator.h"
#include "ops/families/ordered_slices.h"
#include "ops/families/self_dim.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

using ordered::kDim, ordered::kSelf;
constexpr int kK = 1, kLargest = 2;

constexpr AttributeSpec kAttributes[] = {
    {"dim", AttributeType::kDim}, {"k", AttributeType::kSize}, {"largest", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kK), attribute(kDim),
                                     attribute(kLargest)};
constexpr Form kValuesForms[] = {
    {Variant::kFunctional, "topk", "", "torch.topk({self}, {k}, {dim}, {largest})[0]",
     "std::get<0>(at::topk({self}, {k}, {dim}, {largest}))"},
    {Variant::kOut, "topk", "values",
     "torch.topk({self}, {k}, {dim}, {largest}, out=({out}, torch.empty(0, dtype=torch.int64, "
     "device={self}.device)))[0]",
     "std::get<0>([&] { at::Tensor spare = at::empty({0}, {self}.options().dtype(at::kLong)); "
     "return at::topk_out({out}, spare, {self}, {k}, {dim}, {largest}); }())",
     ordered::kSpareIndices},
};
constexpr Form kIndicesForms[] = {
    {Variant::kFunctional, "topk", "", "torch.topk({self}, {k}, {dim}, {largest})[1]",
     "std::get<1>(at::topk({self}, {k}, {dim}, {largest}))"},
    {Variant::kOut, "topk", "values",
     "torch.topk({self}, {k}, {dim}, {largest}, out=({self}.new_empty(0), {out}))[1]",
     "std::get<1>([&] { at::Tensor spare = at::empty({0}, {self}.options()); return "
     "at::topk_out(spare, {out}, {self}, {k}, {dim}, {largest}); }())",
     ordered::kSpareValues},
};
constexpr Overload kOverloads[] = {
    {"values", kOrderedOperands, kAttributes, kParameters, kValuesForms, ordered::kResults,
     ordered::kValues},
    {"indices", kOrderedOperands, kAttributes, kParameters, kIndicesForms, ordered::kResults,
     ordered::kIndices},
};

PlaceOrder order_of(const Case& c) {
  return c.attributes[kLargest] != 0 ? PlaceOrder::kGreatestFirst : PlaceOrder::kLeastFirst;
}

std::int64_t elements_of_slice(const Case& c) {
  return bound_along_dim(c, kSelf);
}

ResultSpec result(const Case& c) {
  Dims shape = c.operands[kSelf].shape;
  if (!shape.empty()) shape[static_cast<std::size_t>(dim_of(c))] = c.attributes[kK];
  return ordered_result(c, shape);
}

void repair_topk(Case& c, const Limits& limits) {
  repair_ordered(c, limits, kIntegralDtypes | kFloats);
  const Dims& self = c.operands[kSelf].shape;
  clamp_dim(c.attributes[kDim], rank(self));
  clamp_bool(c.attributes[kLargest]);
  limit_equals(c, limits);
  std::int64_t& k = c.attributes[kK];
  const std::int64_t most = elements_of_slice(c);
  if (self.empty()) k = 1;
  if (k < 0 || k > most) k = (k % (most + 1) + most + 1) % (most + 1);
}

constexpr IllegalRule kRules[] = {
    {1, "dim_above", dim_above},
    {2, "dim_below", dim_below},
    {3, "k_above",
     [](Case& c) {
       c.attributes[kK] = elements_of_slice(c) + 1;
       return c.variant == Variant::kFunctional;
     }},
    {4, "k_below",
     [](Case& c) {
       c.attributes[kK] = -1;
       return c.variant == Variant::kFunctional;
     }},
    {5, "out_dtype", change_out_dtype},
    {6, "out_overlaps_itself", overlap_written},
    // A custom kernel may well give complex numbers an order. ATen need not compare one alone.
    {7, "self_complex",
     [](Case& c) {
       return c.variant == Variant::kFunctional && !c.operands[kSelf].shape.empty() &&
              change_dtype(c, kSelf, Dtype::kComplexFloat);
     },
     kATenOnly},
};

const OperatorInfo kInfo{
    .number = 69,
    .name = "topk",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_topk,
    .result = result,
    .oracle = [](const OracleInput& input,
                 std::byte* destination) { write_ordered(input, order_of(input.c), destination); },
    .agreement = agreement_of_equals,
    .contributions = [](const OracleInput& input, ContributionSink sink,
                        void* context) { pass_equals(input, order_of(input.c), sink, context); },
    .why_several = ordered::kWhySeveral,
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
