// roll(self, shifts, dims): self with its elements moved along each of these dimensions by its
// shift; what leaves at one end comes in at the other. Without dims self is rolled as if it were
// flattened. https://pytorch.org/docs/stable/generated/torch.roll.html
//
// Agreement: exact for every dtype, since elements are only moved. A shift is any number from -2^62
// on: PyTorch's lists of integers that may be symbolic hold no lower ones. The two dimensions of
// the overload `two` may be the same one, which is then rolled twice.
//
// There is no rule against an out that is self: the out= form computes the whole result before it
// writes it.

#include <algorithm>
#include <span>
#include <utility>

#include "case/walk.h"
#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/chance.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue}};

constexpr AttributeSpec kFlatAttributes[] = {{"shift", AttributeType::kAnyInt}};
constexpr AttributeSpec kOneAttributes[] = {{"shift", AttributeType::kAnyInt},
                                            {"dim", AttributeType::kDim}};
constexpr AttributeSpec kTwoAttributes[] = {{"first_shift", AttributeType::kAnyInt},
                                            {"second_shift", AttributeType::kAnyInt},
                                            {"first_dim", AttributeType::kDim},
                                            {"second_dim", AttributeType::kDim}};

/// (self, shifts, dims), with so many shifts and dims among the attributes.
template <std::uint8_t kShifts, std::uint8_t kDims>
constexpr Parameter kParameters[] = {
    operand(kSelf),
    attribute_list(0, kShifts, "shifts"),
    attribute_list(kShifts, kDims, "dims"),
};

constexpr Form kFlatForms[] = {
    {Variant::kFunctional, "roll", "", "torch.roll({self}, {shift})",
     "at::roll({self}, {{shift}})"},
    {Variant::kOut, "roll", "out", "torch.ops.aten.roll.out({self}, [{shift}], out={out})",
     "at::roll_out({out}, {self}, {{shift}})"},
};
constexpr Form kOneForms[] = {
    {Variant::kFunctional, "roll", "", "torch.roll({self}, {shift}, {dim})",
     "at::roll({self}, {{shift}}, {{dim}})"},
    {Variant::kOut, "roll", "out", "torch.ops.aten.roll.out({self}, [{shift}], [{dim}], out={out})",
     "at::roll_out({out}, {self}, {{shift}}, {{dim}})"},
};
constexpr Form kTwoForms[] = {
    {Variant::kFunctional, "roll", "",
     "torch.roll({self}, ({first_shift}, {second_shift}), ({first_dim}, {second_dim}))",
     "at::roll({self}, {{first_shift}, {second_shift}}, {{first_dim}, {second_dim}})"},
    {Variant::kOut, "roll", "out",
     "torch.ops.aten.roll.out({self}, [{first_shift}, {second_shift}], "
     "[{first_dim}, {second_dim}], out={out})",
     "at::roll_out({out}, {self}, {{first_shift}, {second_shift}}, {{first_dim}, {second_dim}})"},
};

constexpr int kFlat = 0;
constexpr Overload kOverloads[] = {
    {"flat", kOperands, kFlatAttributes, kParameters<1, 0>, kFlatForms},
    {"one", kOperands, kOneAttributes, kParameters<1, 1>, kOneForms},
    {"two", kOperands, kTwoAttributes, kParameters<2, 2>, kTwoForms},
};

/// The shifts, then the dims of a case; no dims: self is flattened.
template <typename C>
auto shifts_and_dims(C& c) {
  const std::size_t attributes = overload_of(c).attributes.size(), dims = attributes / 2;
  const auto all = std::span(c.attributes).first(attributes);
  return std::pair(all.first(attributes - dims), all.last(dims));
}

void repair_roll(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  if (c.overload != kFlat && self.shape.empty()) set_rank(self.shape, 1);
  clamp_fill(self.fill, FillFamily::kValue);
  const auto [shifts, dims] = shifts_and_dims(c);
  for (std::int64_t& shift : shifts) shift = std::max(shift, -(std::int64_t{1} << 62));
  for (std::int64_t& dim : dims) clamp_dim(dim, rank(self.shape));
}

/// Moves the slices of each block by `shift`; a block is `size` slices of `inner` elements.
template <typename T>
void roll_blocks(std::span<T> elements, std::int64_t size, std::int64_t inner, std::int64_t shift) {
  const std::int64_t moved = (shift % size + size) % size * inner, block = size * inner;
  for (auto begin = elements.begin(); begin != elements.end(); begin += block)
    std::rotate(begin, begin + (block - moved), begin + block);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Dims& shape = c.operands[kSelf].shape;
  const Dims strides = row_major_strides(shape);
  const std::int64_t count = input.operands[kSelf].count;
  if (count == 0) return;
  const auto [shifts, dims] = shifts_and_dims(c);
  move_elements(c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  std::copy_n(from, count, to);
                  const std::span result(to, static_cast<std::size_t>(count));
                  if (dims.empty()) roll_blocks(result, count, 1, shifts[0]);
                  for (std::size_t i = 0; i < dims.size(); ++i) {
                    const auto dim = static_cast<std::size_t>(wrapped_dim(dims[i], rank(shape)));
                    roll_blocks(result, shape[dim], strides[dim], shifts[i]);
                  }
                });
}

/// Names a dimension that self does not have, where it names one.
bool set_dim(Case& c, std::int64_t dim) {
  const std::span<std::int64_t> dims = shifts_and_dims(c).second;
  if (dims.empty()) return false;
  dims[chance_of(c) % dims.size()] = dim;
  return true;
}

// A self without elements is the same however it is rolled.
constexpr IllegalRule kRules[] = {
    {1, "dim_above", [](Case& c) { return set_dim(c, rank(c.operands[kSelf].shape)); },
     kMayBeEmpty},
    {2, "dim_below", [](Case& c) { return set_dim(c, -rank(c.operands[kSelf].shape) - 1); },
     kMayBeEmpty},
    {3, "out_dtype", change_out_dtype},
    {4, "out_overlaps_itself", overlap_written},
};

const OperatorInfo kInfo{
    .number = 41,
    .name = "roll",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_roll,
    .result = result_like_self,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
