// col2im(self, output_size, kernel_size, dilation, padding, stride): the image of which self would
// be the columns, summed: to zeros, adds each element of self at the place from which im2col takes
// it; what a window holds of the padding is added to nothing. Which results are right, and why:
// ops/families/columns.h.
// https://pytorch.org/docs/stable/generated/torch.nn.Fold.html
//
// Agreement: exact, since floating point is filled so that every sum is exact in every order; bools
// are or'ed. A real zero may have either sign; of complex numbers what Agreement::kSum admits is
// right, too.
//
// Of the lists of two numbers a case has attributes for one pair of different ones: each overload
// has another pair. Left out: dilations and paddings that differ from dimension to dimension.

#include <algorithm>
#include <cstring>
#include <span>

#include "ops/families/columns.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_shapes.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kBatchRank = 3;

constexpr AttributeSpec kOblongAttributes[] = {
    {"output_height", AttributeType::kSize}, {"output_width", AttributeType::kSize},
    {"kernel", AttributeType::kStep},        {"dilation", AttributeType::kStep},
    {"padding", AttributeType::kSize},       {"stride", AttributeType::kStep}};
constexpr AttributeSpec kWindowsAttributes[] = {
    {"output", AttributeType::kSize},       {"kernel_height", AttributeType::kStep},
    {"kernel_width", AttributeType::kStep}, {"dilation", AttributeType::kStep},
    {"padding", AttributeType::kSize},      {"stride", AttributeType::kStep}};
constexpr AttributeSpec kStridesAttributes[] = {
    {"output", AttributeType::kSize},        {"kernel", AttributeType::kStep},
    {"dilation", AttributeType::kStep},      {"padding", AttributeType::kSize},
    {"stride_height", AttributeType::kStep}, {"stride_width", AttributeType::kStep}};

/// (self, output_size, kernel_size, dilation, padding, stride), with so many attributes each.
template <std::uint8_t kOutput, std::uint8_t kKernel, std::uint8_t kStride>
constexpr Parameter kParameters[] = {operand(columns::kSelf),
                                     pair_parameter(0, kOutput, "output_size"),
                                     pair_parameter(kOutput, kKernel, "kernel_size"),
                                     pair_parameter(kOutput + kKernel, 1, "dilation"),
                                     pair_parameter(kOutput + kKernel + 1, 1, "padding"),
                                     pair_parameter(kOutput + kKernel + 2, kStride, "stride")};

constexpr Form kOblongForms[] = {
    {Variant::kFunctional, "col2im", "",
     "torch.ops.aten.col2im({self}, [{output_height}, {output_width}], [{kernel}, {kernel}], "
     "[{dilation}, {dilation}], [{padding}, {padding}], [{stride}, {stride}])",
     "at::col2im({self}, {{output_height}, {output_width}}, {{kernel}, {kernel}}, {{dilation}, "
     "{dilation}}, {{padding}, {padding}}, {{stride}, {stride}})"},
    {Variant::kOut, "col2im", "out",
     "torch.ops.aten.col2im.out({self}, [{output_height}, {output_width}], [{kernel}, {kernel}], "
     "[{dilation}, {dilation}], [{padding}, {padding}], [{stride}, {stride}], out={out})",
     "at::col2im_out({out}, {self}, {{output_height}, {output_width}}, {{kernel}, {kernel}}, "
     "{{dilation}, {dilation}}, {{padding}, {padding}}, {{stride}, {stride}})"},
};
constexpr Form kWindowsForms[] = {
    {Variant::kFunctional, "col2im", "",
     "torch.ops.aten.col2im({self}, [{output}, {output}], [{kernel_height}, {kernel_width}], "
     "[{dilation}, {dilation}], [{padding}, {padding}], [{stride}, {stride}])",
     "at::col2im({self}, {{output}, {output}}, {{kernel_height}, {kernel_width}}, {{dilation}, "
     "{dilation}}, {{padding}, {padding}}, {{stride}, {stride}})"},
    {Variant::kOut, "col2im", "out",
     "torch.ops.aten.col2im.out({self}, [{output}, {output}], [{kernel_height}, {kernel_width}], "
     "[{dilation}, {dilation}], [{padding}, {padding}], [{stride}, {stride}], out={out})",
     "at::col2im_out({out}, {self}, {{output}, {output}}, {{kernel_height}, {kernel_width}}, "
     "{{dilation}, {dilation}}, {{padding}, {padding}}, {{stride}, {stride}})"},
};
constexpr Form kStridesForms[] = {
    {Variant::kFunctional, "col2im", "",
     "torch.ops.aten.col2im({self}, [{output}, {output}], [{kernel}, {kernel}], [{dilation}, "
     "{dilation}], [{padding}, {padding}], [{stride_height}, {stride_width}])",
     "at::col2im({self}, {{output}, {output}}, {{kernel}, {kernel}}, {{dilation}, {dilation}}, "
     "{{padding}, {padding}}, {{stride_height}, {stride_width}})"},
    {Variant::kOut, "col2im", "out",
     "torch.ops.aten.col2im.out({self}, [{output}, {output}], [{kernel}, {kernel}], [{dilation}, "
     "{dilation}], [{padding}, {padding}], [{stride_height}, {stride_width}], out={out})",
     "at::col2im_out({out}, {self}, {{output}, {output}}, {{kernel}, {kernel}}, {{dilation}, "
     "{dilation}}, {{padding}, {padding}}, {{stride_height}, {stride_width}})"},
};
constexpr Overload kOverloads[] = {
    {"oblong", kColumnsOperands, kOblongAttributes, kParameters<2, 1, 1>, kOblongForms},
    {"windows", kColumnsOperands, kWindowsAttributes, kParameters<1, 2, 1>, kWindowsForms},
    {"strides", kColumnsOperands, kStridesAttributes, kParameters<1, 1, 2>, kStridesForms},
};

const Parameter& output_size(const Case& c) {
  return overload_of(c).parameters[1];
}

/// The attributes of output_size: two, or one for both dimensions.
std::span<std::int64_t> outputs(Case& c) {
  return std::span(c.attributes).first(output_size(c).count);
}

Pair plane_of(const Case& c) {
  return pair_of(c, output_size(c));
}

/// The places of a window.
std::int64_t window_places(const Case& c) {
  const auto [height, width] = pair_of(c, WindowList::kKernelSize);
  return height * width;
}

/// The channels that the rows of self are.
std::int64_t channels(const Case& c) {
  const Dims& shape = c.operands[columns::kSelf].shape;
  // A rule makes windows of no places.
  return shape[shape.size() - 2] / std::max<std::int64_t>(window_places(c), 1);
}

ResultSpec result(const Case& c) {
  ResultSpec spec = result_like_self(c);
  const auto [height, width] = plane_of(c);
  spec.shape[spec.shape.size() - 2] = channels(c);
  spec.shape.back() = height;
  spec.shape.push_back(width);
  return spec;
}

/// Halves the larger of the sizes of a plane; false if it has a single element.
bool shrink_plane(Case& c) {
  std::int64_t& size = *std::ranges::max_element(outputs(c));
  if (size == 1) return false;
  size /= 2;
  return true;
}

bool shrink_strides(Case& c) {
  const Parameter& list = parameter_of(c, WindowList::kStride);
  std::int64_t& stride =
      *std::ranges::max_element(std::span(c.attributes).subspan(list.slot, list.count));
  if (stride == 1) return false;
  stride /= 2;
  return true;
}

std::int64_t elements_of(const Pair& pair) {
  return pair[0] * pair[1];
}

/// Makes output size, windows and self's shape legal.
void settle_shapes(Case& c, const Limits& limits) {
  Dims& shape = c.operands[columns::kSelf].shape;
  clamp_shape(shape, kBatchRank, limits.max_elements);
  if (rank(shape) < kBatchRank - 1) set_rank(shape, kBatchRank - 1);
  for (std::size_t d = rank(shape) == kBatchRank ? 1 : 0; d < shape.size(); ++d)
    shape[d] = std::max<std::int64_t>(shape[d], 1);
  clamp_shape(shape, kBatchRank, limits.max_elements);
  std::int64_t &rows = shape[shape.size() - 2], &columns = shape.back();
  const std::int64_t batch = rank(shape) == kBatchRank ? std::max<std::int64_t>(shape[0], 1) : 1,
                     most = most_beside(batch * rows * columns, limits);
  for (std::int64_t& size : outputs(c))
    size = std::clamp<std::int64_t>(size, 1, limits.max_elements);
  while (batch * elements_of(plane_of(c)) > most && shrink_plane(c)) continue;
  settle_column_windows(c, plane_of(c));
  const std::int64_t planes = batch * std::max<std::int64_t>(channels(c), 1);
  const auto elements = [&] {
    return planes * window_places(c) * elements_of(column_window_counts(c, plane_of(c)));
  };
  // Neither self nor the result is to be much larger than the other, or than self was.
  for (;;) {
    const bool is_self_large = elements() > most;
    const bool is_plane_large = planes * elements_of(plane_of(c)) > most_beside(elements(), limits);
    if (!is_self_large && !is_plane_large) break;
    const bool is_smaller = is_self_large ? shrink_column_windows(c) : shrink_strides(c);
    if (!is_smaller && !shrink_plane(c)) break;
    settle_column_windows(c, plane_of(c));
  }
  rows = planes / batch * window_places(c);
  columns = elements_of(column_window_counts(c, plane_of(c)));
}

void repair_col2im(Case& c, const Limits& limits) {
  Operand& self = c.operands[columns::kSelf];
  clamp_dtype(self.dtype, within(column_dtypes, limits));
  settle_shapes(c, limits);
  clamp_fill(self.fill, FillFamily::kValue);
  settle_terms(self);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const auto [shape, dtype] = result(c);
  const Pair plane = plane_of(c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(shape)) * item_size(dtype));
  as_addends(dtype, destination, input.operands[columns::kSelf].data,
             [&](auto* to, const auto* from) {
               for_each_column_element(c, numel(shape) / elements_of(plane), plane,
                                       [&](std::int64_t element) {
                                         if (element >= 0) to[element].add(*from);
                                         ++from;
                                       });
             });
}

/// How many windows hold the same element at most.
std::int64_t windows_over_one_element(const Case& c, int) {
  const Pair counts = column_window_counts(c, plane_of(c));
  return std::min(most_over_one_element(column_windows(c, 0)), counts[0]) *
         std::min(most_over_one_element(column_windows(c, 1)), counts[1]);
}

bool adds_elements(const Case& c) {
  return numel(c.operands[columns::kSelf].shape) > 0;
}

/// Gives self so many columns more than there are windows; false if none would be left.
bool change_columns(Case& c, std::int64_t more) {
  Operand& self = c.operands[columns::kSelf];
  const std::int64_t columns = self.shape.back() + more;
  if (!adds_elements(c) || columns == 0) return false;
  resize_dimension(self, self.shape.size() - 1, columns);
  return true;
}

/// Gives self a row more than whole channels have.
bool add_row(Case& c) {
  Operand& self = c.operands[columns::kSelf];
  const std::size_t dim = self.shape.size() - 2;
  if (!adds_elements(c) || window_places(c) == 1) return false;
  resize_dimension(self, dim, self.shape[dim] + 1);
  return true;
}

bool empty_output(Case& c) {
  outputs(c).back() = 0;
  return adds_elements(c);
}

bool change_output_list(Case& c, bool (*change)(Case&, int)) {
  return adds_elements(c) && change(c, output_size(c).slot);
}

constexpr auto kRules = with_column_rules({
    {18, "columns_above", [](Case& c) { return change_columns(c, 1); }},
    {19, "columns_below", [](Case& c) { return change_columns(c, -1); }},
    {20, "rows_above", add_row},
    {21, "output_zero", empty_output, kATenOnly},
    {22, "output_size_empty", [](Case& c) { return change_output_list(c, empty_list); }, kATenOnly},
    {23, "output_size_longer", [](Case& c) { return change_output_list(c, lengthen_list); },
     kATenOnly},
});

const OperatorInfo kInfo{
    .number = 62,
    .name = "col2im",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 2,
    .repair = repair_col2im,
    .result = result,
    .oracle = oracle,
    .agreement =
        [](const Case& c) {
          return is_complex(c.operands[columns::kSelf].dtype) ? Agreement::kSum
                                                              : Agreement::kEitherZero;
        },
    .terms = windows_over_one_element,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
