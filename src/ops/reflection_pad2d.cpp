// reflection_pad2d(self, padding): self with its last two dimensions continued beyond both ends,
// mirrored. https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad2d.html
//
// Agreement: exact for every dtype, since elements are only moved. Negative paddings, which cut
// elements off, are not documented.

#include "ops/families/padding.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "reflection_pad2d", "",
     "torch.ops.aten.reflection_pad2d({self}, [{left}, {right}, {top}, {bottom}])",
     "at::reflection_pad2d({self}, {{left}, {right}, {top}, {bottom}})"},
    {Variant::kOut, "reflection_pad2d", "out",
     "torch.ops.aten.reflection_pad2d.out({self}, [{left}, {right}, {top}, {bottom}], out={out})",
     "at::reflection_pad2d_out({out}, {self}, {{left}, {right}, {top}, {bottom}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddedOperands, kPaddingAttributes<2>, kPaddingParameters<2>, kForms}};

const OperatorInfo kInfo{
    .number = 35,
    .name = "reflection_pad2d",
    .overloads = kOverloads,
    .rules = reflection_rules,
    .least_rank = 3,
    .repair = repair_reflection,
    .result = padded_result,
    .oracle = write_reflected,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
