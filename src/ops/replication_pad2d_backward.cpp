// replication_pad2d_backward(grad_output, self, padding): the gradient of replication_pad2d.
// To zeros of self's shape, adds each element of grad_output at the place that the padding copied
// it from. Which results are right, and why: ops/families/padding_backward.h.
// https://pytorch.org/docs/stable/generated/torch.nn.ReplicationPad2d.html

#include "ops/families/padding_backward.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "replication_pad2d_backward", "",
     "torch.ops.aten.replication_pad2d_backward({grad_output}, {self}, [{left}, {right}, {top}, "
     "{bottom}])",
     "at::replication_pad2d_backward({grad_output}, {self}, {{left}, {right}, {top}, {bottom}})"},
    {Variant::kOut, "replication_pad2d_backward", "grad_input",
     "torch.ops.aten.replication_pad2d_backward.grad_input({grad_output}, {self}, [{left}, "
     "{right}, {top}, {bottom}], grad_input={out})",
     "at::replication_pad2d_backward_out({out}, {grad_output}, {self}, {{left}, {right}, {top}, "
     "{bottom}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddingGradOperands, kPaddingAttributes<2>, kPaddingGradParameters<2>, kForms}};

const OperatorInfo kInfo{
    .number = 54,
    .name = "replication_pad2d_backward",
    .overloads = kOverloads,
    .rules = replication_backward_rules,
    .least_rank = 3,
    .repair = repair_replication_backward,
    .result = result_like_self,
    .oracle = add_replicated,
    .agreement = padding_grad_agreement,
    .terms = replicated_terms,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
