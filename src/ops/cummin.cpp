// cummin(self, dim): for each element the least of its slice of self along dim up to it, and the
// position of that in the slice. https://pytorch.org/docs/stable/generated/torch.cummin.html
//
// Agreement: once there is NaN it stays. Of several equal elements ATen names the last, but the
// documentation does not say which: any of those up to the place may be named, as ordered_slices.h
// says. bool, integers, and floating point of more than 8 bits.
//
// There is no rule against complex numbers: ATen takes those that it need not compare.

#include "ops/families/ordered_slices.h"
#include "ops/families/running.h"

namespace indexfuzz {
namespace {

using ordered::kSelf;

constexpr Form kValuesForms[] = {
    {Variant::kFunctional, "cummin", "", "torch.cummin({self}, {dim})[0]",
     "std::get<0>(at::cummin({self}, {dim}))"},
    {Variant::kOut, "cummin", "out",
     "torch.cummin({self}, {dim}, out=({out}, torch.empty(0, dtype=torch.int64, "
     "device={self}.device)))[0]",
     "std::get<0>([&] { at::Tensor spare = at::empty({0}, {self}.options().dtype(at::kLong)); "
     "return at::cummin_out({out}, spare, {self}, {dim}); }())",
     ordered::kSpareIndices},
};
constexpr Form kIndicesForms[] = {
    {Variant::kFunctional, "cummin", "", "torch.cummin({self}, {dim})[1]",
     "std::get<1>(at::cummin({self}, {dim}))"},
    {Variant::kOut, "cummin", "out",
     "torch.cummin({self}, {dim}, out=({self}.new_empty(0), {out}))[1]",
     "std::get<1>([&] { at::Tensor spare = at::empty({0}, {self}.options()); return "
     "at::cummin_out(spare, {out}, {self}, {dim}); }())",
     ordered::kSpareValues},
};
constexpr Overload kOverloads[] = {
    {"values", kOrderedOperands, kRunningAttributes, kRunningParameters, kValuesForms,
     ordered::kResults, ordered::kValues},
    {"indices", kOrderedOperands, kRunningAttributes, kRunningParameters, kIndicesForms,
     ordered::kResults, ordered::kIndices},
};

const OperatorInfo kInfo{
    .number = 68,
    .name = "cummin",
    .overloads = kOverloads,
    .rules = running_rules,
    .repair = repair_running,
    .result = [](const Case& c) { return ordered_result(c, c.operands[kSelf].shape); },
    .oracle =
        [](const OracleInput& input, std::byte* destination) {
          write_ordered(input, PlaceOrder::kLeastSoFar, destination);
        },
    .agreement = agreement_of_equals,
    .contributions =
        [](const OracleInput& input, ContributionSink sink, void* context) {
          pass_equals(input, PlaceOrder::kLeastSoFar, sink, context);
        },
    .why_several = ordered::kWhySeveral,
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
