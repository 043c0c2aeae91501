// reflection_pad1d(self, padding): self with its last dimension continued beyond both ends,
// mirrored. https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad1d.html
//
// Agreement: exact for every dtype, since elements are only moved. Negative paddings, which cut
// elements off, are not documented.

#include "ops/families/padding.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "reflection_pad1d", "",
     "torch.ops.aten.reflection_pad1d({self}, [{left}, {right}])",
     "at::reflection_pad1d({self}, {{left}, {right}})"},
    {Variant::kOut, "reflection_pad1d", "out",
     "torch.ops.aten.reflection_pad1d.out({self}, [{left}, {right}], out={out})",
     "at::reflection_pad1d_out({out}, {self}, {{left}, {right}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddedOperands, kPaddingAttributes<1>, kPaddingParameters<1>, kForms}};

const OperatorInfo kInfo{
    .number = 34,
    .name = "reflection_pad1d",
    .overloads = kOverloads,
    .rules = reflection_rules,
    .least_rank = 2,
    .repair = repair_reflection,
    .result = padded_result,
    .oracle = write_reflected,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
