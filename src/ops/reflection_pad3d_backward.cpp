// reflection_pad3d_backward(grad_output, self, padding): the gradient of reflection_pad3d.
// To zeros of self's shape, adds each element of grad_output at the place that the padding copied
// it from. Which results are right, and why: ops/families/padding_backward.h.
// https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad3d.html

#include "ops/families/padding_backward.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "reflection_pad3d_backward", "",
     "torch.ops.aten.reflection_pad3d_backward({grad_output}, {self}, [{left}, {right}, {top}, "
     "{bottom}, {front}, {back}])",
     "at::reflection_pad3d_backward({grad_output}, {self}, {{left}, {right}, {top}, {bottom}, "
     "{front}, {back}})"},
    {Variant::kOut, "reflection_pad3d_backward", "grad_input",
     "torch.ops.aten.reflection_pad3d_backward.grad_input({grad_output}, {self}, [{left}, {right}, "
     "{top}, {bottom}, {front}, {back}], grad_input={out})",
     "at::reflection_pad3d_backward_out({out}, {grad_output}, {self}, {{left}, {right}, {top}, "
     "{bottom}, {front}, {back}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddingGradOperands, kPaddingAttributes<3>, kPaddingGradParameters<3>, kForms}};

const OperatorInfo kInfo{
    .number = 52,
    .name = "reflection_pad3d_backward",
    .overloads = kOverloads,
    .rules = reflection_backward_rules,
    .least_rank = 4,
    .repair = repair_reflection_backward,
    .result = result_like_self,
    .oracle = add_reflected,
    .agreement = padding_grad_agreement,
    .terms = reflected_terms,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
