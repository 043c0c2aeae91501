// im2col(self, kernel_size, dilation, padding, stride): the columns of an image: what each window
// over self holds of every channel. Which results are right, and why: ops/families/columns.h.
// https://pytorch.org/docs/stable/generated/torch.nn.Unfold.html
//
// Agreement: exact, since elements are only moved; what a window holds of the padding is +0.
//
// Left out, since a case has no more attributes: dilations and paddings that differ from dimension
// to dimension.

#include <cstring>
#include <type_traits>

#include "ops/families/columns.h"
#include "ops/families/moves.h"
#include "ops/families/planes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kBatchRank = 4;

constexpr AttributeSpec kAttributes[] = {
    {"kernel_height", AttributeType::kStep}, {"kernel_width", AttributeType::kStep},
    {"dilation", AttributeType::kStep},      {"padding", AttributeType::kSize},
    {"stride_height", AttributeType::kStep}, {"stride_width", AttributeType::kStep}};
constexpr Parameter kParameters[] = {
    operand(columns::kSelf), pair_parameter(0, 2, "kernel_size"), pair_parameter(2, 1, "dilation"),
    pair_parameter(3, 1, "padding"), pair_parameter(4, 2, "stride")};
constexpr Form kForms[] = {
    {Variant::kFunctional, "im2col", "",
     "torch.ops.aten.im2col({self}, [{kernel_height}, {kernel_width}], [{dilation}, {dilation}], "
     "[{padding}, {padding}], [{stride_height}, {stride_width}])",
     "at::im2col({self}, {{kernel_height}, {kernel_width}}, {{dilation}, {dilation}}, {{padding}, "
     "{padding}}, {{stride_height}, {stride_width}})"},
    {Variant::kOut, "im2col", "out",
     "torch.ops.aten.im2col.out({self}, [{kernel_height}, {kernel_width}], [{dilation}, "
     "{dilation}], [{padding}, {padding}], [{stride_height}, {stride_width}], out={out})",
     "at::im2col_out({out}, {self}, {{kernel_height}, {kernel_width}}, {{dilation}, {dilation}}, "
     "{{padding}, {padding}}, {{stride_height}, {stride_width}})"},
};
constexpr Overload kOverloads[] = {{"", kColumnsOperands, kAttributes, kParameters, kForms}};

Pair plane_of(const Case& c) {
  const Dims& shape = c.operands[columns::kSelf].shape;
  return {shape[shape.size() - 2], shape.back()};
}

ResultSpec result(const Case& c) {
  ResultSpec spec = result_like_self(c);
  Dims& shape = spec.shape;
  const Pair kernel = pair_of(c, WindowList::kKernelSize);
  const auto [height, width] = column_window_counts(c, plane_of(c));
  shape.pop_back();
  shape.back() = height * width;
  shape[shape.size() - 2] *= kernel[0] * kernel[1];
  return spec;
}

/// The elements of the result, where a size of 0 counts as 1.
std::int64_t result_elements(const Case& c) {
  std::int64_t elements = 1;
  for (const std::int64_t size : result(c).shape) elements *= std::max<std::int64_t>(size, 1);
  return elements;
}

void repair_im2col(Case& c, const Limits& limits) {
  Operand& self = c.operands[columns::kSelf];
  clamp_dtype(self.dtype, within(column_dtypes, limits));
  give_planes(self.shape, limits);
  if (rank(self.shape) < kBatchRank) self.shape[0] = std::max<std::int64_t>(self.shape[0], 1);
  settle_column_windows(c, plane_of(c));
  const std::int64_t most = most_beside(plane_count(self.shape) * plane_size(self.shape), limits);
  while (result_elements(c) > most && shrink_column_windows(c)) continue;
  clamp_fill(self.fill, FillFamily::kValue);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Operand& self = c.operands[columns::kSelf];
  const Pair plane = plane_of(c);
  const std::int64_t planes = numel(self.shape) / (plane[0] * plane[1]);
  move_elements(self.dtype, destination, input.operands[columns::kSelf].data,
                [&](auto* to, const auto* from) {
                  for_each_column_element(c, planes, plane, [&](std::int64_t element) {
                    using Element = std::remove_pointer_t<decltype(to)>;
                    *to++ = element < 0 ? Element{} : from[element];
                  });
                });
}

/// Makes the kernel larger by one than what fits into a plane and its padding.
bool enlarge_kernel(Case& c) {
  const PoolWindows windows = column_windows(c, 1);
  if (numel(c.operands[columns::kSelf].shape) == 0) return false;
  return set_window_list(c, WindowList::kKernelSize,
                         (plane_of(c)[1] + 2 * windows.padding - 1) / windows.dilation + 2);
}

constexpr auto kRules = with_column_rules({
    // There is then no window.
    {18, "kernel_above", enlarge_kernel, kMayBeEmpty},
});

const OperatorInfo kInfo{
    .number = 61,
    .name = "im2col",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 3,
    .repair = repair_im2col,
    .result = result,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
