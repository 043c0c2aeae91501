// reflection_pad3d(self, padding): self with its last three dimensions continued beyond both ends,
// mirrored. https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad3d.html
//
// Agreement: exact for every dtype, since elements are only moved. Negative paddings, which cut
// elements off, are not documented.

#include "ops/families/padding.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "reflection_pad3d", "",
     "torch.ops.aten.reflection_pad3d({self}, [{left}, {right}, {top}, {bottom}, {front}, {back}])",
     "at::reflection_pad3d({self}, {{left}, {right}, {top}, {bottom}, {front}, {back}})"},
    {Variant::kOut, "reflection_pad3d", "out",
     "torch.ops.aten.reflection_pad3d.out({self}, [{left}, {right}, {top}, {bottom}, {front}, "
     "{back}], out={out})",
     "at::reflection_pad3d_out({out}, {self}, {{left}, {right}, {top}, {bottom}, {front}, "
     "{back}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddedOperands, kPaddingAttributes<3>, kPaddingParameters<3>, kForms}};

const OperatorInfo kInfo{
    .number = 43,
    .name = "reflection_pad3d",
    .overloads = kOverloads,
    .rules = reflection_rules,
    .least_rank = 4,
    .repair = repair_reflection,
    .result = padded_result,
    .oracle = write_reflected,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
