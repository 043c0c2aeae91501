// max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode): the largest
// elements of windows at equal distances over planes, and where they lie. What is right, and why,
// stands in max_pool.h. https://pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html
//
// Left out, since a case has no more attributes: paddings and dilations of two numbers, and strides
// of two numbers together with a ceil_mode. No strides are the same as strides of a window's size.

#include "ops/families/max_pool.h"
#include "ops/families/max_pool_rules.h"

namespace indexfuzz {
namespace {

constexpr AttributeSpec kAttributes[] = {
    {"window_height", AttributeType::kStep}, {"window_width", AttributeType::kStep},
    {"stride_height", AttributeType::kStep}, {"stride_width", AttributeType::kStep},
    {"padding", AttributeType::kSize},       {"dilation", AttributeType::kStep}};
constexpr AttributeSpec kCeilAttributes[] = {
    {"window_height", AttributeType::kStep}, {"window_width", AttributeType::kStep},
    {"stride", AttributeType::kStep},        {"ceil_mode", AttributeType::kBool},
    {"padding", AttributeType::kSize},       {"dilation", AttributeType::kStep}};
constexpr Parameter kCeilParameters[] = {operand(pool::kSelf),
                                         attribute_list(0, 2, "kernel_size"),
                                         attribute_list(2, 1, "stride"),
                                         attribute_list(pool::kPadding, 1, "padding"),
                                         attribute_list(pool::kDilation, 1, "dilation"),
                                         attribute(pool::kCeil)};
constexpr Form kValuesForms[] = {
    {Variant::kFunctional, "max_pool2d_with_indices", "",
     "torch.ops.aten.max_pool2d_with_indices({self}, [{window_height}, {window_width}], "
     "[{stride_height}, {stride_width}], [{padding}], [{dilation}], False)[0]",
     "std::get<0>(at::max_pool2d_with_indices({self}, {{window_height}, {window_width}}, "
     "{{stride_height}, {stride_width}}, {{padding}}, {{dilation}}, false))"},
    {Variant::kOut, "max_pool2d_with_indices", "out",
     "torch.ops.aten.max_pool2d_with_indices.out({self}, [{window_height}, {window_width}], "
     "[{stride_height}, {stride_width}], [{padding}], [{dilation}], False, out={out}, "
     "indices=torch.empty(0, dtype=torch.int64, device={self}.device))[0]",
     "std::get<0>([&] { at::Tensor spare = at::empty({0}, {self}.options().dtype(at::kLong)); "
     "return at::max_pool2d_with_indices_out({out}, spare, {self}, {{window_height}, "
     "{window_width}}, {{stride_height}, {stride_width}}, {{padding}}, {{dilation}}, false); }())",
     max_pool::kSpareIndices},
};
constexpr Form kIndicesForms[] = {
    {Variant::kFunctional, "max_pool2d_with_indices", "",
     "torch.ops.aten.max_pool2d_with_indices({self}, [{window_height}, {window_width}], "
     "[{stride_height}, {stride_width}], [{padding}], [{dilation}], False)[1]",
     "std::get<1>(at::max_pool2d_with_indices({self}, {{window_height}, {window_width}}, "
     "{{stride_height}, {stride_width}}, {{padding}}, {{dilation}}, false))"},
    {Variant::kOut, "max_pool2d_with_indices", "out",
     "torch.ops.aten.max_pool2d_with_indices.out({self}, [{window_height}, {window_width}], "
     "[{stride_height}, {stride_width}], [{padding}], [{dilation}], False, "
     "out={self}.new_empty(0), indices={out})[1]",
     "std::get<1>([&] { at::Tensor spare = at::empty({0}, {self}.options()); return "
     "at::max_pool2d_with_indices_out(spare, {out}, {self}, {{window_height}, {window_width}}, "
     "{{stride_height}, {stride_width}}, {{padding}}, {{dilation}}, false); }())",
     max_pool::kSpareValues},
};
constexpr Form kCeilValuesForms[] = {
    {Variant::kFunctional, "max_pool2d_with_indices", "",
     "torch.ops.aten.max_pool2d_with_indices({self}, [{window_height}, {window_width}], "
     "[{stride}], [{padding}], [{dilation}], {ceil_mode})[0]",
     "std::get<0>(at::max_pool2d_with_indices({self}, {{window_height}, {window_width}}, "
     "{{stride}}, {{padding}}, {{dilation}}, {ceil_mode}))"},
    {Variant::kOut, "max_pool2d_with_indices", "out",
     "torch.ops.aten.max_pool2d_with_indices.out({self}, [{window_height}, {window_width}], "
     "[{stride}], [{padding}], [{dilation}], {ceil_mode}, out={out}, indices=torch.empty(0, "
     "dtype=torch.int64, device={self}.device))[0]",
     "std::get<0>([&] { at::Tensor spare = at::empty({0}, {self}.options().dtype(at::kLong)); "
     "return at::max_pool2d_with_indices_out({out}, spare, {self}, {{window_height}, "
     "{window_width}}, {{stride}}, {{padding}}, {{dilation}}, {ceil_mode}); }())",
     max_pool::kSpareIndices},
};
constexpr Form kCeilIndicesForms[] = {
    {Variant::kFunctional, "max_pool2d_with_indices", "",
     "torch.ops.aten.max_pool2d_with_indices({self}, [{window_height}, {window_width}], "
     "[{stride}], [{padding}], [{dilation}], {ceil_mode})[1]",
     "std::get<1>(at::max_pool2d_with_indices({self}, {{window_height}, {window_width}}, "
     "{{stride}}, {{padding}}, {{dilation}}, {ceil_mode}))"},
    {Variant::kOut, "max_pool2d_with_indices", "out",
     "torch.ops.aten.max_pool2d_with_indices.out({self}, [{window_height}, {window_width}], "
     "[{stride}], [{padding}], [{dilation}], {ceil_mode}, out={self}.new_empty(0), "
     "indices={out})[1]",
     "std::get<1>([&] { at::Tensor spare = at::empty({0}, {self}.options()); return "
     "at::max_pool2d_with_indices_out(spare, {out}, {self}, {{window_height}, {window_width}}, "
     "{{stride}}, {{padding}}, {{dilation}}, {ceil_mode}); }())",
     max_pool::kSpareValues},
};
constexpr Overload kOverloads[] = {
    {"values", kMaxPoolOperands, kAttributes, kFloorPoolParameters<2>, kValuesForms,
     max_pool::kResults, max_pool::kValues},
    {"indices", kMaxPoolOperands, kAttributes, kFloorPoolParameters<2>, kIndicesForms,
     max_pool::kResults, max_pool::kIndices},
    {"ceil_values", kMaxPoolOperands, kCeilAttributes, kCeilParameters, kCeilValuesForms,
     max_pool::kResults, max_pool::kValues},
    {"ceil_indices", kMaxPoolOperands, kCeilAttributes, kCeilParameters, kCeilIndicesForms,
     max_pool::kResults, max_pool::kIndices},
};

const OperatorInfo kInfo{
    .number = 64,
    .name = "max_pool2d_with_indices",
    .overloads = kOverloads,
    .rules = max_pool_rules,
    .least_rank = 3,
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
