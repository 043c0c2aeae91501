// replication_pad1d(self, padding): self with the elements at both ends of its last dimension
// repeated. https://pytorch.org/docs/stable/generated/torch.nn.ReplicationPad1d.html
//
// Agreement: exact for every dtype, since elements are only moved. Negative paddings, which cut
// elements off, are not documented.

#include "ops/families/padding.h"

namespace indexfuzz {
namespace {

constexpr Form kForms[] = {
    {Variant::kFunctional, "replication_pad1d", "",
     "torch.ops.aten.replication_pad1d({self}, [{left}, {right}])",
     "at::replication_pad1d({self}, {{left}, {right}})"},
    {Variant::kOut, "replication_pad1d", "out",
     "torch.ops.aten.replication_pad1d.out({self}, [{left}, {right}], out={out})",
     "at::replication_pad1d_out({out}, {self}, {{left}, {right}})"},
};
constexpr Overload kOverloads[] = {
    {"", kPaddedOperands, kPaddingAttributes<1>, kPaddingParameters<1>, kForms}};

const OperatorInfo kInfo{
    .number = 36,
    .name = "replication_pad1d",
    .overloads = kOverloads,
    .rules = replication_rules,
    .least_rank = 2,
    .repair = repair_replication,
    .result = padded_result,
    .oracle = write_replicated,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
