// sort(self, dim, descending): the elements of each slice of self along dim in ascending or
// descending order, and their positions in the slice. sort(self, *, stable, dim, descending) is the
// same; with `stable`, elements that are equal keep their order.
// https://pytorch.org/docs/stable/generated/torch.sort.html
//
// Agreement: with `stable` exact in values and indices, descending, too; zeros of both signs are
// equal, and so are all NaN. Without it the documentation leaves the order of equal elements open
// (torch.argsort says so), and ATen's CPU kernels make use of that: what may stand where then says
// ordered_slices.h. Values of integers and bool are exact all the same. ATen sorts bool, integers,
// and floating point of more than 8 bits; it refuses complex numbers, which have no order.
//
// Left out: a `stable` of None, which is False; names of dimensions. There is no rule against an
// out that is self: ATen begins with a copy of it.

#include "ops/definition/operator.h"
#include "ops/families/ordered_slices.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

using ordered::kDim, ordered::kSelf;
constexpr int kDescending = 1, kStable = 2;

constexpr DtypeSet kSorted = set_of(Dtype::kBool) | kIntegralDtypes | kFloats |
                             set_of(Dtype::kUInt16) | set_of(Dtype::kUInt32) |
                             set_of(Dtype::kUInt64);

constexpr AttributeSpec kStableAttributes[] = {{"dim", AttributeType::kDim},
                                               {"descending", AttributeType::kBool},
                                               {"stable", AttributeType::kBool}};
constexpr std::span kAttributes(kStableAttributes, 2);
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), attribute(kDescending)};
constexpr Parameter kStableParameters[] = {operand(kSelf), attribute(kStable), attribute(kDim),
                                           attribute(kDescending)};
constexpr Form kValuesForms[] = {
    {Variant::kFunctional, "sort", "", "torch.sort({self}, {dim}, {descending})[0]",
     "std::get<0>(at::sort({self}, {dim}, {descending}))"},
    {Variant::kOut, "sort", "values",
     "torch.sort({self}, {dim}, {descending}, out=({out}, torch.empty(0, dtype=torch.int64, "
     "device={self}.device)))[0]",
     "std::get<0>([&] { at::Tensor spare = at::empty({0}, {self}.options().dtype(at::kLong)); "
     "return at::sort_out({out}, spare, {self}, {dim}, {descending}); }())",
     ordered::kSpareIndices},
};
constexpr Form kIndicesForms[] = {
    {Variant::kFunctional, "sort", "", "torch.sort({self}, {dim}, {descending})[1]",
     "std::get<1>(at::sort({self}, {dim}, {descending}))"},
    {Variant::kOut, "sort", "values",
     "torch.sort({self}, {dim}, {descending}, out=({self}.new_empty(0), {out}))[1]",
     "std::get<1>([&] { at::Tensor spare = at::empty({0}, {self}.options()); return "
     "at::sort_out(spare, {out}, {self}, {dim}, {descending}); }())",
     ordered::kSpareValues},
};
constexpr Form kStableValuesForms[] = {
    {Variant::kFunctional, "sort", "stable",
     "torch.sort({self}, stable={stable}, dim={dim}, descending={descending})[0]",
     "std::get<0>(at::sort({self}, std::optional<bool>({stable}), {dim}, {descending}))"},
    {Variant::kOut, "sort", "values_stable",
     "torch.sort({self}, stable={stable}, dim={dim}, descending={descending}, out=({out}, "
     "torch.empty(0, dtype=torch.int64, device={self}.device)))[0]",
     "std::get<0>([&] { at::Tensor spare = at::empty({0}, {self}.options().dtype(at::kLong)); "
     "return at::sort_out({out}, spare, {self}, std::optional<bool>({stable}), {dim}, "
     "{descending}); }())",
     ordered::kSpareIndices},
};
constexpr Form kStableIndicesForms[] = {
    {Variant::kFunctional, "sort", "stable",
     "torch.sort({self}, stable={stable}, dim={dim}, descending={descending})[1]",
     "std::get<1>(at::sort({self}, std::optional<bool>({stable}), {dim}, {descending}))"},
    {Variant::kOut, "sort", "values_stable",
     "torch.sort({self}, stable={stable}, dim={dim}, descending={descending}, "
     "out=({self}.new_empty(0), {out}))[1]",
     "std::get<1>([&] { at::Tensor spare = at::empty({0}, {self}.options()); return "
     "at::sort_out(spare, {out}, {self}, std::optional<bool>({stable}), {dim}, {descending}); "
     "}())",
     ordered::kSpareValues},
};
constexpr Overload kOverloads[] = {
    {"values", kOrderedOperands, kAttributes, kParameters, kValuesForms, ordered::kResults,
     ordered::kValues},
    {"indices", kOrderedOperands, kAttributes, kParameters, kIndicesForms, ordered::kResults,
     ordered::kIndices},
    {"stable_values", kOrderedOperands, kStableAttributes, kStableParameters, kStableValuesForms,
     ordered::kResults, ordered::kValues},
    {"stable_indices", kOrderedOperands, kStableAttributes, kStableParameters, kStableIndicesForms,
     ordered::kResults, ordered::kIndices},
};

bool takes_stable(const Case& c) {
  return overload_of(c).attributes.size() > kStable;
}

PlaceOrder order_of(const Case& c) {
  return c.attributes[kDescending] != 0 ? PlaceOrder::kGreatestFirst : PlaceOrder::kLeastFirst;
}

void repair_sort(Case& c, const Limits& limits) {
  repair_ordered(c, limits, kSorted);
  clamp_dim(c.attributes[kDim], rank(c.operands[kSelf].shape));
  clamp_bool(c.attributes[kDescending]);
  if (takes_stable(c)) clamp_bool(c.attributes[kStable]);
  limit_equals(c, limits);
}

constexpr IllegalRule kRules[] = {
    {1, "dim_above", dim_above},
    {2, "dim_below", dim_below},
    {3, "out_dtype", change_out_dtype},
    {4, "out_overlaps_itself", overlap_written},
    // A custom kernel may well give complex numbers an order.
    {5, "self_complex",
     [](Case& c) {
       return c.variant == Variant::kFunctional && change_dtype(c, kSelf, Dtype::kComplexFloat);
     },
     kATenOnly},
};

const OperatorInfo kInfo{
    .number = 66,
    .name = "sort",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_sort,
    .result = [](const Case& c) { return ordered_result(c, c.operands[kSelf].shape); },
    .oracle = [](const OracleInput& input,
                 std::byte* destination) { write_ordered(input, order_of(input.c), destination); },
    .agreement =
        [](const Case& c) {
          const bool keeps_order = takes_stable(c) && c.attributes[kStable] != 0;
          return keeps_order ? Agreement::kExact : agreement_of_equals(c);
        },
    .contributions = [](const OracleInput& input, ContributionSink sink,
                        void* context) { pass_equals(input, order_of(input.c), sink, context); },
    .why_several = ordered::kWhySeveral,
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
