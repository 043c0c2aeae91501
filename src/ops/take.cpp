// take(self, index): out[i] = self.flatten()[index[i]], in the shape of index.
// https://pytorch.org/docs/stable/generated/torch.take.html
//
// Agreement: exact for every dtype, since elements are only moved. Indices are int64 and count
// self's elements in row-major order, whatever its layout; negative ones wrap. ATen checks dtypes
// and overlaps even if the index is empty.

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue},
                                     {.name = "index", .role = Role::kIndex, .any_shape = true}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kIndexOperand)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "take", "", "torch.take({self}, {index})", "at::take({self}, {index})"},
    {Variant::kOut, "take", "out", "torch.take({self}, {index}, out={out})",
     "at::take_out({out}, {self}, {index})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, {}, kParameters, kForms}};

ResultSpec result(const Case& c) {
  return {c.operands[kIndexOperand].shape, c.operands[kSelf].dtype};
}

std::int64_t self_elements(const Case& c) {
  return numel(c.operands[kSelf].shape);
}

void repair_take(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  clamp_dtype(self.dtype, limits.dtypes);
  index.dtype = Dtype::kInt64;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_shape(index.shape, limits.max_rank, limits.max_elements);
  if (self_elements(c) == 0) clamp_to_nothing(index.shape);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const LogicalOperand& self = input.operands[kSelf];
  const IndexReader index(input, kIndexOperand);
  move_elements(input.c.operands[kSelf].dtype, destination, self.data,
                [&](auto* to, const auto* from) {
                  for (std::int64_t i = 0; i < index.count(); ++i)
                    to[i] = from[index[i] < 0 ? index[i] + self.count : index[i]];
                });
}

/// Empties self, so that every index is out of range.
bool empty_self(Case& c) {
  return numel(c.operands[kIndexOperand].shape) > 0 && become_vector(c, kSelf, 0);
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return poke_index(c, kIndexOperand, -self_elements(c) - 1); }},
    {2, "index_above", [](Case& c) { return poke_index(c, kIndexOperand, self_elements(c)); }},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kIndexOperand); }},
    {4, "self_empty", empty_self, kByValue},
    {5, "out_dtype", change_out_dtype},
    {6, "out_overlaps_itself", overlap_written},
    {7, "out_is_self",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kSelf); }},
    {8, "out_is_index",
     [](Case& c) { return c.variant == Variant::kOut && share_memory(c, kIndexOperand); }},
    {9, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kIndexOperand); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 15,
    .name = "take",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_take,
    .result = result,
    .index_bound = [](const Case& c, int) { return self_elements(c); },
    .table =
        [](const Case& c) {
          return rank(c.operands[kSelf].shape) == 1 ? TableUse{kSelf, kIndexOperand} : TableUse{};
        },
    .wraps_negative_indices = true,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
