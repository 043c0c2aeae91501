// replication_pad2d(self, padding): self with the elements at both ends of its last two dimensions
// repeated. https://pytorch.org/docs/stable/generated/torch.nn.ReplicationPad2d.html
//
// Agreement: exact for every dtype, since elements are only moved. Negative paddings, which cut
// elements off, are not documented.

#include "ops/families/padding.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "replication_pad2d", "",
     "torch.ops.aten.replication_pad2d({self}, [{left}, {right}, {top}, {bottom}])",
     "at::replication_pad2d({self}, {{left}, {right}, {top}, {bottom}})"},
    {Variant::kOut, "replication_pad2d", "out",
     "torch.ops.aten.replication_pad2d.out({self}, [{left}, {right}, {top}, {bottom}], out={out})",
     "at::replication_pad2d_out({out}, {self}, {{left}, {right}, {top}, {bottom}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddedOperands, kPaddingAttributes<2>, kPaddingParameters<2>, kForms}};

const OperatorInfo kInfo{
    .number = 37,
    .name = "replication_pad2d",
    .overloads = kOverloads,
    .rules = replication_rules,
    .least_rank = 3,
    .repair = repair_replication,
    .result = padded_result,
    .oracle = write_replicated,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
