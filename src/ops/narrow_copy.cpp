// narrow_copy(self, dim, start, length): a copy of the slices start, start + 1, … of self along
// dim, `length` of them.
// https://pytorch.org/docs/stable/generated/torch.narrow_copy.html
//
// Agreement: exact for every dtype, since elements are only moved. A start below 0 counts from the
// end; one behind the last slice takes none. A self of rank 0 has no slices.
//
// There is no rule against an out that is self, of which nothing is documented.

#include <algorithm>

#include "case/walk.h"
#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/families/self_dim.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;
constexpr int kDim = 0, kStart = 1, kLength = 2;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim},
                                         {"start", AttributeType::kAnyInt},
                                         {"length", AttributeType::kSize}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), attribute(kStart),
                                     attribute(kLength)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "narrow_copy", "", "torch.narrow_copy({self}, {dim}, {start}, {length})",
     "at::narrow_copy({self}, {dim}, {start}, {length})"},
    {Variant::kOut, "narrow_copy", "out",
     "torch.ops.aten.narrow_copy.out({self}, {dim}, {start}, {length}, out={out})",
     "at::narrow_copy_out({out}, {self}, {dim}, {start}, {length})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

std::int64_t slices_of(const Case& c) {
  return size_at(c.operands[kSelf].shape, dim_of(c));
}
/// The first slice that is taken, counted from the front.
std::int64_t first_slice(const Case& c) {
  const std::int64_t start = c.attributes[kStart];
  return start < 0 ? start + slices_of(c) : start;
}

ResultSpec result(const Case& c) {
  ResultSpec spec = result_like_self(c);
  if (!spec.shape.empty()) {
    spec.shape[static_cast<std::size_t>(dim_of(c))] =
        std::max<std::int64_t>(c.attributes[kLength], 0);
  }
  return spec;
}

void repair_narrow_copy(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  if (self.shape.empty()) self.shape = {1};
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  const std::int64_t slices = slices_of(c);
  std::int64_t& start = c.attributes[kStart];
  if (start < -slices || start > slices) start %= slices + 1;
  c.attributes[kLength] =
      std::clamp<std::int64_t>(c.attributes[kLength], 0, slices - first_slice(c));
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Dims& shape = c.operands[kSelf].shape;
  const Dims strides = row_major_strides(shape);
  const std::int64_t first = first_slice(c) * strides[static_cast<std::size_t>(dim_of(c))];
  move_elements(c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  for_each_element(
                      result(c).shape,
                      [&](std::int64_t i, std::int64_t offset) { to[i] = from[first + offset]; },
                      strides);
                });
}

bool set_start(Case& c, std::int64_t start) {
  c.attributes[kStart] = start;
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "start_below", [](Case& c) { return set_start(c, -slices_of(c) - 1); }},
    {2, "start_above", [](Case& c) { return set_start(c, slices_of(c) + 1); }},
    // An `out` has as many slices as the legal call takes.
    {3, "length_below",
     [](Case& c) {
       c.attributes[kLength] = -1;
       return c.variant == Variant::kFunctional;
     }},
    {4, "length_above",
     [](Case& c) {
       c.attributes[kLength] = slices_of(c) - first_slice(c) + 1;
       return c.variant == Variant::kFunctional;
     }},
    {5, "dim_above", dim_above},
    {6, "dim_below", dim_below},
    {7, "self_rank",
     [](Case& c) {
       return rank(c.operands[kSelf].shape) == 1 && c.variant == Variant::kFunctional &&
              remove_dimension(c, kSelf, 1);
     }},
    {8, "out_dtype", change_out_dtype},
    {9, "out_overlaps_itself", overlap_written},
};

const OperatorInfo kInfo{
    .number = 30,
    .name = "narrow_copy",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_narrow_copy,
    .result = result,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .derivatives = Derivatives::kNone,
    .takes_sparse = true,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
