// max_unpool2d(self, indices, output_size): the elements of planes, put back to where a pooling
// found them. What is right, and why, stands in unpool.h.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool2d.html

#include "ops/families/unpool.h"

namespace indexfuzz {
namespace {

constexpr AttributeSpec kAttributes[] = {{"output_height", AttributeType::kSize},
                                         {"output_width", AttributeType::kSize}};
constexpr Parameter kParameters[] = {
    operand(unpool::kSelf), operand(unpool::kIndices),
    attribute_list(unpool::kOutputSize, std::size(kAttributes), "output_size")};
constexpr Form kForms[] = {
    {Variant::kFunctional, "max_unpool2d", "",
     "torch.ops.aten.max_unpool2d({self}, {indices}, [{output_height}, {output_width}])",
     "at::max_unpool2d({self}, {indices}, {{output_height}, {output_width}})"},
    {Variant::kOut, "max_unpool2d", "out",
     "torch.ops.aten.max_unpool2d.out({self}, {indices}, [{output_height}, {output_width}], "
     "out={out})",
     "at::max_unpool2d_out({out}, {self}, {indices}, {{output_height}, {output_width}})"},
};
constexpr Overload kOverloads[] = {{"", kUnpoolOperands, kAttributes, kParameters, kForms}};

const OperatorInfo kInfo{
    .number = 31,
    .name = "max_unpool2d",
    .overloads = kOverloads,
    .rules = kUnpoolRules,
    .least_rank = 3,
    .repair = repair_unpool,
    .result = unpooled,
    .index_bound = [](const Case& c, int) { return unpooled_plane(c); },
    .oracle = move_to_planes,
    .agreement = always<Agreement::kAnyContributor>,
    .contributions = unpool_contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
