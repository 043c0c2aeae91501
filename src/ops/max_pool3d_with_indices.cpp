// max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode): the largest
// elements of windows at equal distances over volumes, and where they lie. What is right, and why,
// stands in max_pool.h. https://pytorch.org/docs/stable/generated/torch.nn.MaxPool3d.html
//
// Left out, since a case has no more attributes: strides, paddings and dilations of three numbers,
// and ceil_mode, which is False. No strides are the same as strides of a window's size.

#include "ops/families/max_pool.h"
#include "ops/families/max_pool_rules.h"

namespace indexfuzz {
namespace {

constexpr AttributeSpec kAttributes[] = {
    {"window_depth", AttributeType::kStep}, {"window_height", AttributeType::kStep},
    {"window_width", AttributeType::kStep}, {"stride", AttributeType::kStep},
    {"padding", AttributeType::kSize},      {"dilation", AttributeType::kStep}};
constexpr Form kValuesForms[] = {
    {Variant::kFunctional, "max_pool3d_with_indices", "",
     "torch.ops.aten.max_pool3d_with_indices({self}, [{window_depth}, {window_height}, "
     "{window_width}], [{stride}], [{padding}], [{dilation}], False)[0]",
     "std::get<0>(at::max_pool3d_with_indices({self}, {{window_depth}, {window_height}, "
     "{window_width}}, {{stride}}, {{padding}}, {{dilation}}, false))"},
    {Variant::kOut, "max_pool3d_with_indices", "out",
     "torch.ops.aten.max_pool3d_with_indices.out({self}, [{window_depth}, {window_height}, "
     "{window_width}], [{stride}], [{padding}], [{dilation}], False, out={out}, "
     "indices=torch.empty(0, dtype=torch.int64, device={self}.device))[0]",
     "std::get<0>([&] { at::Tensor spare = at::empty({0}, {self}.options().dtype(at::kLong)); "
     "return at::max_pool3d_with_indices_out({out}, spare, {self}, {{window_depth}, "
     "{window_height}, {window_width}}, {{stride}}, {{padding}}, {{dilation}}, false); }())",
     max_pool::kSpareIndices},
};
constexpr Form kIndicesForms[] = {
    {Variant::kFunctional, "max_pool3d_with_indices", "",
     "torch.ops.aten.max_pool3d_with_indices({self}, [{window_depth}, {window_height}, "
     "{window_width}], [{stride}], [{padding}], [{dilation}], False)[1]",
     "std::get<1>(at::max_pool3d_with_indices({self}, {{window_depth}, {window_height}, "
     "{window_width}}, {{stride}}, {{padding}}, {{dilation}}, false))"},
    {Variant::kOut, "max_pool3d_with_indices", "out",
     "torch.ops.aten.max_pool3d_with_indices.out({self}, [{window_depth}, {window_height}, "
     "{window_width}], [{stride}], [{padding}], [{dilation}], False, out={self}.new_empty(0), "
     "indices={out})[1]",
     "std::get<1>([&] { at::Tensor spare = at::empty({0}, {self}.options()); return "
     "at::max_pool3d_with_indices_out(spare, {out}, {self}, {{window_depth}, {window_height}, "
     "{window_width}}, {{stride}}, {{padding}}, {{dilation}}, false); }())",
     max_pool::kSpareValues},
};
constexpr Overload kOverloads[] = {
    {"values", kMaxPoolOperands, kAttributes, kFloorPoolParameters<3>, kValuesForms,
     max_pool::kResults, max_pool::kValues},
    {"indices", kMaxPoolOperands, kAttributes, kFloorPoolParameters<3>, kIndicesForms,
     max_pool::kResults, max_pool::kIndices},
};

const OperatorInfo kInfo{
    .number = 65,
    .name = "max_pool3d_with_indices",
    .overloads = kOverloads,
    .rules = max_pool_rules,
    .least_rank = 4,
    .repair = repair_max_pool,
    .result = largest_elements,
    .oracle = find_largest,
    .agreement = always<Agreement::kAnyContributor>,
    .aten_only = names_element_for_padding,
    .contributions = pass_largest,
    .why_several = max_pool::kWhySeveral,
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
