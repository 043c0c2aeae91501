// fractional_max_pool2d_backward(grad_output, self, kernel_size, output_size, indices): the
// gradient of a pooling with windows of one size at random places of a plane. What is right, and
// why, stands in pool_backward.h.
// https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html

#include "ops/families/pool_backward.h"
#include "ops/families/pool_rules.h"

namespace indexfuzz {
namespace {

constexpr AttributeSpec kAttributes[] = {{"window_height", AttributeType::kSize},
                                         {"window_width", AttributeType::kSize},
                                         {"output_height", AttributeType::kSize},
                                         {"output_width", AttributeType::kSize}};
constexpr Form kForms[] = {
    {Variant::kFunctional, "fractional_max_pool2d_backward", "",
     "torch.ops.aten.fractional_max_pool2d_backward({grad_output}, {self}, [{window_height}, "
     "{window_width}], [{output_height}, {output_width}], {indices})",
     "at::fractional_max_pool2d_backward({grad_output}, {self}, {{window_height}, {window_width}}, "
     "{{output_height}, {output_width}}, {indices})"},
    {Variant::kOut, "fractional_max_pool2d_backward", "grad_input",
     "torch.ops.aten.fractional_max_pool2d_backward.grad_input({grad_output}, {self}, "
     "[{window_height}, {window_width}], [{output_height}, {output_width}], {indices}, "
     "grad_input={out})",
     "at::fractional_max_pool2d_backward_out({out}, {grad_output}, {self}, {{window_height}, "
     "{window_width}}, {{output_height}, {output_width}}, {indices})"},
};
constexpr Overload kOverloads[] = {
    {"", kPoolOperands, kAttributes, kFractionalPoolParameters<2>, kForms}};

const OperatorInfo kInfo{
    .number = 48,
    .name = "fractional_max_pool2d_backward",
    .overloads = kOverloads,
    .rules = fractional_pool_backward_rules,
    .least_rank = 3,
    .repair = repair_fractional_pool_backward,
    .result = result_like_self,
    .index_bound = plane_of_self,
    .oracle = add_to_planes,
    .agreement = always<Agreement::kEitherZero>,
    .terms = plane_of_grad,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
