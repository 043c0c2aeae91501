// replication_pad3d(self, padding): self with the elements at both ends of its last three
// dimensions repeated. https://pytorch.org/docs/stable/generated/torch.nn.ReplicationPad3d.html
//
// Agreement: exact for every dtype, since elements are only moved. Negative paddings, which cut
// elements off, are not documented.

#include "ops/families/padding.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "replication_pad3d", "",
     "torch.ops.aten.replication_pad3d({self}, [{left}, {right}, {top}, {bottom}, {front}, "
     "{back}])",
     "at::replication_pad3d({self}, {{left}, {right}, {top}, {bottom}, {front}, {back}})"},
    {Variant::kOut, "replication_pad3d", "out",
     "torch.ops.aten.replication_pad3d.out({self}, [{left}, {right}, {top}, {bottom}, {front}, "
     "{back}], out={out})",
     "at::replication_pad3d_out({out}, {self}, {{left}, {right}, {top}, {bottom}, {front}, "
     "{back}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddedOperands, kPaddingAttributes<3>, kPaddingParameters<3>, kForms}};

const OperatorInfo kInfo{
    .number = 44,
    .name = "replication_pad3d",
    .overloads = kOverloads,
    .rules = replication_rules,
    .least_rank = 4,
    .repair = repair_replication,
    .result = padded_result,
    .oracle = write_replicated,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
