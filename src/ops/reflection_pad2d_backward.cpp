// reflection_pad2d_backward(grad_output, self, padding): the gradient of reflection_pad2d.
// To zeros of self's shape, adds each element of grad_output at the place that the padding copied
// it from. Which results are right, and why: ops/families/padding_backward.h.
// https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad2d.html

#include "ops/families/padding_backward.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "reflection_pad2d_backward", "",
     "torch.ops.aten.reflection_pad2d_backward({grad_output}, {self}, [{left}, {right}, {top}, "
     "{bottom}])",
     "at::reflection_pad2d_backward({grad_output}, {self}, {{left}, {right}, {top}, {bottom}})"},
    {Variant::kOut, "reflection_pad2d_backward", "grad_input",
     "torch.ops.aten.reflection_pad2d_backward.grad_input({grad_output}, {self}, [{left}, {right}, "
     "{top}, {bottom}], grad_input={out})",
     "at::reflection_pad2d_backward_out({out}, {grad_output}, {self}, {{left}, {right}, {top}, "
     "{bottom}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddingGradOperands, kPaddingAttributes<2>, kPaddingGradParameters<2>, kForms}};

const OperatorInfo kInfo{
    .number = 51,
    .name = "reflection_pad2d_backward",
    .overloads = kOverloads,
    .rules = reflection_backward_rules,
    .least_rank = 3,
    .repair = repair_reflection_backward,
    .result = result_like_self,
    .oracle = add_reflected,
    .agreement = padding_grad_agreement,
    .terms = reflected_terms,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
