// max_unpool3d(self, indices, output_size, stride, padding): the elements of volumes, put back to
// where a pooling found them. What is right, and why, stands in unpool.h. Stride and padding, those
// of the pooling, have no part in it.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool3d.html
//
// Left out, since a case has no more attributes: strides and paddings of three numbers.

#include "ops/families/unpool.h"

namespace indexfuzz {
namespace {

constexpr int kDims = 3;
constexpr std::uint8_t kStride = 3, kPadding = 4;

constexpr AttributeSpec kAttributes[] = {{"output_depth", AttributeType::kSize},
                                         {"output_height", AttributeType::kSize},
                                         {"output_width", AttributeType::kSize},
                                         {"stride", AttributeType::kStep},
                                         {"padding", AttributeType::kSize}};
/// A list of three numbers that are all this attribute, on which the result does not depend.
constexpr Parameter without_effect(int slot, std::string_view name) {
  Parameter parameter = repeated_attribute(slot, kDims, name);
  parameter.without_effect = true;
  return parameter;
}
constexpr Parameter kParameters[] = {operand(unpool::kSelf), operand(unpool::kIndices),
                                     attribute_list(unpool::kOutputSize, kDims, "output_size"),
                                     without_effect(kStride, "stride"),
                                     without_effect(kPadding, "padding")};
constexpr Form kForms[] = {
    {Variant::kFunctional, "max_unpool3d", "",
     "torch.ops.aten.max_unpool3d({self}, {indices}, [{output_depth}, {output_height}, "
     "{output_width}], [{stride}, {stride}, {stride}], [{padding}, {padding}, {padding}])",
     "at::max_unpool3d({self}, {indices}, {{output_depth}, {output_height}, {output_width}}, "
     "{{stride}, {stride}, {stride}}, {{padding}, {padding}, {padding}})"},
    {Variant::kOut, "max_unpool3d", "out",
     "torch.ops.aten.max_unpool3d.out({self}, {indices}, [{output_depth}, {output_height}, "
     "{output_width}], [{stride}, {stride}, {stride}], [{padding}, {padding}, {padding}], "
     "out={out})",
     "at::max_unpool3d_out({out}, {self}, {indices}, {{output_depth}, {output_height}, "
     "{output_width}}, {{stride}, {stride}, {stride}}, {{padding}, {padding}, {padding}})"},
};
constexpr Overload kOverloads[] = {{"", kUnpoolOperands, kAttributes, kParameters, kForms}};

void repair_max_unpool3d(Case& c, const Limits& limits) {
  repair_unpool(c, limits);
  for (const auto& [slot, least] : {std::pair(kStride, 1), std::pair(kPadding, 0)})
    c.attributes[slot] = std::max<std::int64_t>(c.attributes[slot], least);
}

/// Strides stop.
bool stop_strides(Case& c) {
  c.attributes[kStride] = 0;
  return true;
}

// A custom kernel need not look at what has no effect.
constexpr IllegalRule kOwnRules[] = {
    {12, "stride_zero", stop_strides, kATenOnly},
    {13, "stride_empty", [](Case& c) { return empty_list(c, kStride); }, kATenOnly},
    {14, "stride_longer", [](Case& c) { return lengthen_list(c, kStride); }, kATenOnly},
    {15, "padding_empty", [](Case& c) { return empty_list(c, kPadding); }, kATenOnly},
    {16, "padding_longer", [](Case& c) { return lengthen_list(c, kPadding); }, kATenOnly},
};
constexpr auto kRules = with_rules(kUnpoolRules, kOwnRules);

const OperatorInfo kInfo{
    .number = 63,
    .name = "max_unpool3d",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 4,
    .repair = repair_max_unpool3d,
    .result = unpooled,
    .index_bound = [](const Case& c, int) { return unpooled_plane(c); },
    .oracle = move_to_planes,
    .agreement = always<Agreement::kAnyContributor>,
    .contributions = unpool_contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
