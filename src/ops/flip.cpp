// flip(self, dims): self with the elements along each of these dimensions in reverse order.
// https://pytorch.org/docs/stable/generated/torch.flip.html
//
// Agreement: exact for every dtype, since elements are only moved. Each dimension is named at most
// once, from the front or from the end; none may be named. A self of rank 0 is not given any.
//
// There is no rule against an out that is self: the out= form computes the whole result before it
// writes it.

#include <algorithm>

#include "case/dim_set.h"
#include "case/walk.h"
#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kDims = 0;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"dims", AttributeType::kDims}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDims)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "flip", "", "torch.flip({self}, {dims})", "at::flip({self}, {dims})"},
    {Variant::kOut, "flip", "out", "torch.ops.aten.flip.out({self}, {dims}, out={out})",
     "at::flip_out({out}, {self}, {dims})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

void repair_flip(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_fill(self.fill, FillFamily::kValue);
  c.attributes[kDims] = legal_dims(c.attributes[kDims], rank(self.shape));
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Dims& shape = c.operands[kSelf].shape;
  Dims strides = row_major_strides(shape);
  std::int64_t first = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!names_dim(c.attributes[kDims], static_cast<int>(d), rank(shape))) continue;
    first += (shape[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  move_elements(c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  for_each_element(
                      shape,
                      [&](std::int64_t i, std::int64_t offset) { to[i] = from[first + offset]; },
                      strides);
                });
}

/// Adds a number to the set that it does not have.
bool add_dim(Case& c, int dim) {
  if (dim < -kMaxDims || dim > kMaxDims) return false;
  c.attributes[kDims] |= dim_bit(dim);
  return true;
}

/// Names a dimension a second time, in its other spelling.
bool name_twice(Case& c) {
  const int dims = rank(c.operands[kSelf].shape);
  for (int dim = 0; dim < dims; ++dim) {
    if (names_dim(c.attributes[kDims], dim, dims)) {
      c.attributes[kDims] |= dim_bit(dim) | dim_bit(dim - dims);
      return true;
    }
  }
  return false;
}

constexpr IllegalRule kRules[] = {
    {1, "dim_above",
     [](Case& c) { return add_dim(c, std::max(rank(c.operands[kSelf].shape), 1)); }},
    {2, "dim_below",
     [](Case& c) { return add_dim(c, -std::max(rank(c.operands[kSelf].shape), 1) - 1); }},
    {3, "dim_twice", name_twice},
    {4, "out_dtype", change_out_dtype},
    {5, "out_overlaps_itself", overlap_written},
};

const OperatorInfo kInfo{
    .number = 26,
    .name = "flip",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_flip,
    .result = result_like_self,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
