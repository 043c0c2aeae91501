// max_unpool2d(self, indices, output_size): planes of output_size, all zeros but for self's
// elements: element i of a plane of self goes to element indices[i] of the plane at the same place,
// counted in row-major order.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool2d.html
//
// Agreement: exact, since elements are only moved. If several indices of a plane are the same, any
// of their values may win. A plane is the last two of three or four dimensions; only the first
// dimension may have size 0. Indices are int64, of self's shape, and never negative. Self has one
// of ATen's dtypes: floating point of more than 8 bits.

#include <algorithm>
#include <cstring>

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/families/planes.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndices = 1;
constexpr int kHeight = 0, kWidth = 1;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue}, {"indices", Role::kIndex}};
constexpr AttributeSpec kAttributes[] = {{"output_height", AttributeType::kSize},
                                         {"output_width", AttributeType::kSize}};
constexpr Parameter kParameters[] = {
    operand(kSelf), operand(kIndices),
    attribute_list(kHeight, std::size(kAttributes), "output_size")};
constexpr Form kForms[] = {
    {Variant::kFunctional, "max_unpool2d", "",
     "torch.ops.aten.max_unpool2d({self}, {indices}, [{output_height}, {output_width}])",
     "at::max_unpool2d({self}, {indices}, {{output_height}, {output_width}})"},
    {Variant::kOut, "max_unpool2d", "out",
     "torch.ops.aten.max_unpool2d.out({self}, {indices}, [{output_height}, {output_width}], "
     "out={out})",
     "at::max_unpool2d_out({out}, {self}, {indices}, {{output_height}, {output_width}})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

std::int64_t plane_of_result(const Case& c) {
  return c.attributes[kHeight] * c.attributes[kWidth];
}
std::int64_t plane_of_self(const Case& c) {
  return plane_size(c.operands[kSelf].shape);
}

ResultSpec result(const Case& c) {
  ResultSpec spec = result_like_self(c);
  spec.shape[spec.shape.size() - 2] = c.attributes[kHeight];
  spec.shape.back() = c.attributes[kWidth];
  return spec;
}

void repair_max_unpool2d(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& indices = c.operands[kIndices];
  clamp_dtype(self.dtype, within(kFloats, limits));
  give_planes(self.shape, limits);
  indices.dtype = Dtype::kInt64;
  indices.shape = self.shape;
  // A plane grows to at most four times its elements, or few: results would take most of the time.
  constexpr std::int64_t kFew = 300, kGrowth = 4;
  const std::int64_t most = std::clamp<std::int64_t>(limits.max_elements / plane_count(self.shape),
                                                     1, std::max(kFew, kGrowth * plane_of_self(c)));
  std::int64_t& height = c.attributes[kHeight];
  height = std::clamp<std::int64_t>(height, 1, most);
  c.attributes[kWidth] = std::clamp<std::int64_t>(c.attributes[kWidth], 1, most / height);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(indices.fill, FillFamily::kIndex);
}

/// Calls f(element of the result, element of self) for every index, in order.
template <typename F>
void for_each_move(const OracleInput& input, F&& f) {
  const IndexReader index(input, kIndices);
  const std::int64_t from = plane_of_self(input.c), to = plane_of_result(input.c);
  for (std::int64_t i = 0; i < index.count(); ++i) f(i / from * to + index[i], i);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const auto [shape, dtype] = result(input.c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(shape)) * item_size(dtype));
  move_elements(dtype, destination, input.operands[kSelf].data, [&](auto* to, const auto* from) {
    for_each_move(input, [&](std::int64_t element, std::int64_t i) { to[element] = from[i]; });
  });
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  pass_moves(input, kSelf, sink, context, [&](auto&& pass) { for_each_move(input, pass); });
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return poke_index(c, kIndices, -1); }},
    {2, "index_above", [](Case& c) { return poke_index(c, kIndices, plane_of_result(c)); }},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kIndices); }},
    {4, "indices_shape", [](Case& c) { return misshape(c, kIndices); }},
    // A custom kernel may well take planes in any number of dimensions.
    {5, "rank_above",
     [](Case& c) {
       return c.variant == Variant::kFunctional && add_dimension(c, kSelf, 5) &&
              add_dimension(c, kIndices, 5);
     },
     kATenOnly},
    {6, "rank_below",
     [](Case& c) {
       return c.variant == Variant::kFunctional && rank(c.operands[kSelf].shape) == 3 &&
              remove_dimension(c, kSelf, 3) && remove_dimension(c, kIndices, 3);
     },
     kATenOnly},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself", overlap_written},
    {9, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kIndices); }, kATenOnly},
    {10, "output_size_empty", [](Case& c) { return empty_list(c, kHeight); }, kATenOnly},
    {11, "output_size_longer", [](Case& c) { return lengthen_list(c, kHeight); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 31,
    .name = "max_unpool2d",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 3,
    .repair = repair_max_unpool2d,
    .result = result,
    .index_bound = [](const Case& c, int) { return plane_of_result(c); },
    .oracle = oracle,
    .agreement = always<Agreement::kAnyContributor>,
    .contributions = contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
