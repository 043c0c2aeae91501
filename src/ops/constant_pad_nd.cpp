// constant_pad_nd(self, pad, value): self with its last dimensions continued beyond both ends by
// value, or cut off where a padding is negative.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html
//
// What negative paddings do is said by ATen's PadNd.cpp: each side that has one loses so many
// elements, which must be there, before the other sides are padded.
//
// Agreement: exact for every dtype, since elements are only moved and value is drawn so that self's
// dtype holds it exactly or all implementations convert it alike.
//
// Not tested: paddings of more than three dimensions, or of none. There is no rule against an out
// that is self: the out= form computes the whole result before it writes it.

#include <algorithm>
#include <limits>

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/families/padding_geometry.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kValue = 1;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue}, {"value", Role::kScalar}};
constexpr AttributeSpec kPads[] = {
    {"left", AttributeType::kAnyInt},  {"right", AttributeType::kAnyInt},
    {"top", AttributeType::kAnyInt},   {"bottom", AttributeType::kAnyInt},
    {"front", AttributeType::kAnyInt}, {"back", AttributeType::kAnyInt}};
template <std::uint8_t kDims>
constexpr Parameter kParameters[] = {operand(kSelf), attribute_list(0, 2 * kDims, "pad"),
                                     operand(kValue)};

constexpr Form functional(std::string_view python, std::string_view cpp) {
  return {Variant::kFunctional, "constant_pad_nd", "", python, cpp};
}
constexpr Form out(std::string_view python, std::string_view cpp) {
  return {Variant::kOut, "constant_pad_nd", "out", python, cpp};
}
constexpr Form kForms1[] = {
    functional("torch.constant_pad_nd({self}, [{left}, {right}], {value})",
               "at::constant_pad_nd({self}, {{left}, {right}}, {value})"),
    out("torch.ops.aten.constant_pad_nd.out({self}, [{left}, {right}], {value}, out={out})",
        "at::constant_pad_nd_out({out}, {self}, {{left}, {right}}, {value})")};
constexpr Form kForms2[] = {
    functional("torch.constant_pad_nd({self}, [{left}, {right}, {top}, {bottom}], {value})",
               "at::constant_pad_nd({self}, {{left}, {right}, {top}, {bottom}}, {value})"),
    out("torch.ops.aten.constant_pad_nd.out({self}, [{left}, {right}, {top}, {bottom}], {value}, "
        "out={out})",
        "at::constant_pad_nd_out({out}, {self}, {{left}, {right}, {top}, {bottom}}, {value})")};
constexpr Form kForms3[] = {
    functional("torch.constant_pad_nd({self}, [{left}, {right}, {top}, {bottom}, {front}, {back}], "
               "{value})",
               "at::constant_pad_nd({self}, {{left}, {right}, {top}, {bottom}, {front}, {back}}, "
               "{value})"),
    out("torch.ops.aten.constant_pad_nd.out({self}, [{left}, {right}, {top}, {bottom}, {front}, "
        "{back}], {value}, out={out})",
        "at::constant_pad_nd_out({out}, {self}, {{left}, {right}, {top}, {bottom}, {front}, "
        "{back}}, {value})")};
constexpr Overload kOverloads[] = {
    {"one", kOperands, std::span(kPads).first(2), kParameters<1>, kForms1},
    {"two", kOperands, std::span(kPads).first(4), kParameters<2>, kForms2},
    {"three", kOperands, kPads, kParameters<3>, kForms3}};

/// How many elements a negative padding cuts off; 0 if it is none.
std::int64_t cut_off(std::int64_t padding) {
  return std::max<std::int64_t>(-padding, 0);
}

/// A padding as it was drawn, brought into [-elements, most].
std::int64_t brought_within(std::int64_t drawn, std::int64_t elements, std::int64_t most) {
  return drawn < 0 ? drawn % (elements + 1) : drawn % (most + 1);
}

void repair_constant_pad_nd(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, std::max(limits.max_rank, padded_dims(c)), limits.max_elements);
  if (rank(self.shape) < padded_dims(c)) set_rank(self.shape, padded_dims(c));
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_scalar(c.operands[kValue], self.dtype);
  const std::span<std::int64_t> all = paddings(c);
  for (std::size_t a = 0; a < all.size(); a += 2) {
    const std::int64_t size = padded_size(c, a), most = most_padding(padded_dims(c), size);
    all[a] = brought_within(all[a], size, most);
    all[a + 1] = brought_within(all[a + 1], size - cut_off(all[a]), most);
  }
  shorten_paddings(c, limits);
}

/// A place that is no element of self stays before its first one, however far the places in other
/// dimensions lead.
std::int64_t place_of_element(std::int64_t place, std::int64_t size) {
  constexpr std::int64_t kOutside = std::numeric_limits<std::int32_t>::min();
  return 0 <= place && place < size ? place : kOutside;
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Dtype dtype = input.c.operands[kSelf].dtype;
  std::byte value[16];
  convert(input.c.operands[kValue].dtype, input.operands[kValue].data, dtype, value, 1);
  move_elements(dtype, destination, input.operands[kSelf].data,
                [&]<typename E>(E* to, const E* from) {
                  const E filled = *elements(E{}, value);
                  // There is no source to begin with.
                  if (input.operands[kSelf].count == 0)
                    std::fill_n(to, numel(padded_result(input.c).shape), filled);
                  for_each_source(input.c, place_of_element, [&](std::int64_t element) {
                    *to++ = element < 0 ? filled : from[element];
                  });
                });
}

/// Gives self fewer dimensions than are padded.
bool lower_rank(Case& c) {
  if (c.variant != Variant::kFunctional) return false;
  while (rank(c.operands[kSelf].shape) >= padded_dims(c)) remove_dimension(c, kSelf, 0);
  return true;
}

/// Cuts off one element more than a dimension has, counting those that the other side adds.
bool cut_off_too_many(Case& c) {
  if (c.variant != Variant::kFunctional) return false;
  const std::size_t side = chosen_side(c);
  c.attributes[side] = -(padded_size(c, side) + 1) - c.attributes[opposite(side)];
  return true;
}

/// Cuts off one element more than a dimension has, while the other side adds some.
bool cut_off_added(Case& c) {
  if (c.variant != Variant::kFunctional) return false;
  const std::size_t side = chosen_side(c);
  c.attributes[side] = -(padded_size(c, side) + 1);
  c.attributes[opposite(side)] = 2;
  return true;
}

/// Lets value be an element of the result: pads one side by one element, and no other.
bool take_value(Case& c) {
  if (c.variant != Variant::kFunctional) return false;
  std::ranges::fill(paddings(c), 0);
  c.attributes[0] = 1;
  return numel(padded_result(c).shape) > 0;
}

constexpr IllegalRule kRules[] = {
    {1, "rank_below", lower_rank},
    {2, "cut_off_too_many", cut_off_too_many},
    // That the elements which the other side adds are not among those that are cut off is not
    // documented.
    {3, "cut_off_added", cut_off_added, kATenOnly},
    {4, "padding_overflows", pad_beyond_int64, kATenOnly},
    {5, "value_complex",
     [](Case& c) { return take_value(c) && make_complex(c, kValue, c.operands[kSelf].dtype); }},
    {6, "value_overflows",
     [](Case& c) { return take_value(c) && overflow_number(c, kValue, c.operands[kSelf].dtype); },
     kATenOnly},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself", overlap_written},
    {9, "padding_odd", [](Case& c) { return lengthen_list(c, 0); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 57,
    .name = "constant_pad_nd",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 1,
    .repair = repair_constant_pad_nd,
    .result = padded_result,
    .cast_to = [](const Case& c, int) { return c.operands[kSelf].dtype; },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
