// adaptive_max_pool2d_backward(grad_output, self, indices): the gradient of a pooling of planes to
// planes of another size. What is right, and why, stands in pool_backward.h.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool2d.html

#include "ops/families/pool_backward.h"
#include "ops/families/pool_rules.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "adaptive_max_pool2d_backward", "",
     "torch.ops.aten.adaptive_max_pool2d_backward({grad_output}, {self}, {indices})",
     "at::adaptive_max_pool2d_backward({grad_output}, {self}, {indices})"},
    {Variant::kOut, "adaptive_max_pool2d_backward", "grad_input",
     "torch.ops.aten.adaptive_max_pool2d_backward.grad_input({grad_output}, {self}, {indices}, "
     "grad_input={out})",
     "at::adaptive_max_pool2d_backward_out({out}, {grad_output}, {self}, {indices})"},
};
constexpr Overload kOverloads[] = {{"", kPoolOperands, {}, kAdaptivePoolParameters, kForms}};

const OperatorInfo kInfo{
    .number = 45,
    .name = "adaptive_max_pool2d_backward",
    .overloads = kOverloads,
    .rules = adaptive_pool_backward_rules,
    .least_rank = 3,
    .repair = repair_adaptive_pool_backward,
    .result = result_like_self,
    .index_bound = plane_of_self,
    .oracle = add_to_planes,
    .agreement = always<Agreement::kEitherZero>,
    .terms = plane_of_grad,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
