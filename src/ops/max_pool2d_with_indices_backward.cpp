// max_pool2d_with_indices_backward(grad_output, self, kernel_size, stride, padding, dilation,
// ceil_mode, indices): the gradient of max_pool2d, a pooling with windows at equal distances. What
// is right, and why, stands in pool_backward.h.
//
// Left out, since a case has no more attributes: paddings and dilations of two numbers, and
// ceil_mode, which is False. No strides are the same as strides of a window's size.
// https://pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html

#include "ops/families/pool_backward.h"
#include "ops/families/pool_rules.h"

namespace indexfuzz {
namespace {

constexpr AttributeSpec kAttributes[] = {
    {"window_height", AttributeType::kStep}, {"window_width", AttributeType::kStep},
    {"stride_height", AttributeType::kStep}, {"stride_width", AttributeType::kStep},
    {"padding", AttributeType::kSize},       {"dilation", AttributeType::kStep}};
constexpr Form kForms[] = {
    {Variant::kFunctional, "max_pool2d_with_indices_backward", "",
     "torch.ops.aten.max_pool2d_with_indices_backward({grad_output}, {self}, [{window_height}, "
     "{window_width}], [{stride_height}, {stride_width}], [{padding}], [{dilation}], False, "
     "{indices})",
     "at::max_pool2d_with_indices_backward({grad_output}, {self}, {{window_height}, "
     "{window_width}}, {{stride_height}, {stride_width}}, {{padding}}, {{dilation}}, false, "
     "{indices})"},
    {Variant::kOut, "max_pool2d_with_indices_backward", "grad_input",
     "torch.ops.aten.max_pool2d_with_indices_backward.grad_input({grad_output}, {self}, "
     "[{window_height}, {window_width}], [{stride_height}, {stride_width}], [{padding}], "
     "[{dilation}], False, {indices}, grad_input={out})",
     "at::max_pool2d_with_indices_backward_out({out}, {grad_output}, {self}, {{window_height}, "
     "{window_width}}, {{stride_height}, {stride_width}}, {{padding}}, {{dilation}}, false, "
     "{indices})"},
};
constexpr Overload kOverloads[] = {{"", kPoolOperands, kAttributes, kMaxPoolParameters<2>, kForms}};

const OperatorInfo kInfo{
    .number = 58,
    .name = "max_pool2d_with_indices_backward",
    .overloads = kOverloads,
    .rules = max_pool_backward_rules,
    .least_rank = 3,
    .repair = repair_max_pool_backward,
    .result = result_like_self,
    .index_bound = plane_of_self,
    .confine_indices = name_elements_of_windows,
    .oracle = add_to_planes,
    .agreement = always<Agreement::kEitherZero>,
    .terms = windows_over_one_element,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
