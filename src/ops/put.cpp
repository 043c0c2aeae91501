// put(self, index, source, accumulate): self.flatten()[index[i]] = source.flatten()[i], or += with
// accumulate.
// https://pytorch.org/docs/stable/generated/torch.Tensor.put_.html
//
// Agreement: with accumulate, integers wrap, bool is or, and floating point is filled so that every
// sum is exact in every order (fills sums1 to sums3 and sums6) or, if no index occurs twice, is
// rounded once (sums4); what Agreement::kSum admits besides is right, too. Without accumulate, if
// several indices name one element, any of their values may win. Indices are int64 and count self's
// elements in row-major order, whatever its layout; negative ones wrap. Source has self's dtype and
// as many elements as index, in any shape.

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSource = 2;
constexpr int kAccumulate = 0;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue},
                                     {.name = "index", .role = Role::kIndex, .any_shape = true},
                                     {.name = "source", .role = Role::kValue, .any_shape = true}};
constexpr AttributeSpec kAttributes[] = {{"accumulate", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kIndexOperand), operand(kSource),
                                     attribute(kAccumulate)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "put", "", "{self}.put({index}, {source}, {accumulate})",
     "at::put({self}, {index}, {source}, {accumulate})"},
    {Variant::kInPlace, "put_", "", "{self}.put_({index}, {source}, {accumulate})",
     "{self}.put_({index}, {source}, {accumulate})"},
    {Variant::kOut, "put", "out",
     "torch.ops.aten.put.out({self}, {index}, {source}, {accumulate}, out={out})",
     "at::put_out({out}, {self}, {index}, {source}, {accumulate})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

std::int64_t self_elements(const Case& c) {
  return numel(c.operands[kSelf].shape);
}

void repair_put(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  Operand& source = c.operands[kSource];
  clamp_dtype(self.dtype, limits.dtypes);
  index.dtype = Dtype::kInt64;
  source.dtype = self.dtype;
  clamp_bool(c.attributes[kAccumulate]);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_shape(index.shape, limits.max_rank, limits.max_elements);
  if (self_elements(c) == 0) clamp_to_nothing(index.shape);
  clamp_shape(source.shape, limits.max_rank, limits.max_elements);
  hold_elements(source.shape, numel(index.shape));
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  clamp_fill(source.fill, FillFamily::kValue);
  if (c.attributes[kAccumulate] != 0)
    settle_sums(self, source, is_distinct(index, self_elements(c)));
}

/// Calls f(element of self, element of source) for every index, in order.
template <typename F>
void for_each_put(const OracleInput& input, F&& f) {
  const IndexReader index(input, kIndexOperand);
  for (std::int64_t i = 0; i < index.count(); ++i)
    f(index[i] < 0 ? index[i] + input.operands[kSelf].count : index[i], i);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Dtype dtype = input.c.operands[kSelf].dtype;
  copy_operand(input, kSelf, destination);
  const std::byte* source = input.operands[kSource].data;
  if (input.c.attributes[kAccumulate] != 0) {
    as_addends(dtype, destination, source, [&](auto* to, const auto* from) {
      for_each_put(input, [&](std::int64_t element, std::int64_t i) { to[element].add(from[i]); });
    });
  } else {
    move_elements(dtype, destination, source, [&](auto* to, const auto* from) {
      for_each_put(input, [&](std::int64_t element, std::int64_t i) { to[element] = from[i]; });
    });
  }
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  pass_moves(input, kSource, sink, context, [&](auto&& pass) { for_each_put(input, pass); });
}

/// Empties self, so that every index is out of range.
bool empty_self(Case& c) {
  return c.variant != Variant::kOut && numel(c.operands[kIndexOperand].shape) > 0 &&
         become_vector(c, kSelf, 0);
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return poke_index(c, kIndexOperand, -self_elements(c) - 1); }},
    {2, "index_above", [](Case& c) { return poke_index(c, kIndexOperand, self_elements(c)); }},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kIndexOperand); }},
    {4, "source_dtype", [](Case& c) { return mismatch_dtype(c, kSource, kSelf); }},
    {5, "source_longer",
     [](Case& c) { return become_vector(c, kSource, numel(c.operands[kSource].shape) + 1); }},
    {6, "self_empty", empty_self, kByValue},
    {7, "written_overlaps_itself", overlap_written},
    {8, "self_is_source",
     [](Case& c) { return c.variant == Variant::kInPlace && share_memory(c, kSource); }},
    {9, "self_is_index",
     [](Case& c) { return c.variant == Variant::kInPlace && share_memory(c, kIndexOperand); }},
    {10, "out_dtype", change_out_dtype},
    {11, "source_shorter",
     [](Case& c) {
       const std::int64_t elements = numel(c.operands[kSource].shape);
       return elements > 0 && become_vector(c, kSource, elements - 1);
     }},
    {12, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kIndexOperand); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 18,
    .name = "put",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_put,
    .result = result_like_self,
    .index_bound = [](const Case& c, int) { return self_elements(c); },
    .table =
        [](const Case& c) {
          return c.variant == Variant::kInPlace && rank(c.operands[kSelf].shape) == 1
                     ? TableUse{kSelf, kIndexOperand}
                     : TableUse{};
        },
    .wraps_negative_indices = true,
    .oracle = oracle,
    .agreement =
        [](const Case& c) {
          return c.attributes[kAccumulate] != 0 ? Agreement::kSum : Agreement::kAnyContributor;
        },
    .contributions = contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
