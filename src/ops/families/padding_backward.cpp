#include "ops/families/padding_backward.h"

#include <algorithm>
#include <cstring>

#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/chance.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kGrad = 1;
constexpr DtypeSet kSummed = kFloats | set_of(Dtype::kComplexFloat) | set_of(Dtype::kComplexDouble);

void repair_grad(Case& c) {
  const Operand& self = c.operands[kSelf];
  Operand& grad = c.operands[kGrad];
  // As with max_unpool2d, what is padded grows to at most four times its elements, or few; and it
  // is large only if it was before, since large cases are to be rare.
  constexpr std::int64_t kFew = 1000, kGrowth = 4, kLarge = 32768;
  const std::int64_t elements = numel(self.shape);
  const std::int64_t most =
      std::max(kFew, std::min(kGrowth * elements, std::max(elements, kLarge)));
  while (numel(padded_result(c).shape) > most) *std::ranges::max_element(paddings(c)) /= 2;
  grad.dtype = self.dtype;
  grad.shape = padded_result(c).shape;
  clamp_fill(grad.fill, FillFamily::kValue);
  settle_terms(grad);
}

void add_padded(const OracleInput& input, PaddingSource source_of, std::byte* destination) {
  const auto [shape, dtype] = result_like_self(input.c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(shape)) * item_size(dtype));
  as_addends(dtype, destination, input.operands[kGrad].data, [&](auto* to, const auto* from) {
    for_each_source(input.c, source_of, [&](std::int64_t element) { to[element].add(*from++); });
  });
}

bool adds_elements(const Case& c) {
  return numel(c.operands[kGrad].shape) > 0;
}

/// Gives grad_output the shape that self has after padding.
void fit_grad(Case& c) {
  Operand& grad = c.operands[kGrad];
  const Dims shape = padded_result(c).shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (grad.shape[d] != shape[d]) resize_dimension(grad, d, shape[d]);
}

/// Gives the operand a rank by dimensions in front, of size 1 where they are new.
void change_rank(Operand& operand, int wanted) {
  set_rank(operand.shape, wanted);
  operand.layout = contiguous_layout(wanted);
  operand.fill.repeats = 0;
}

bool change_ranks(Case& c, int wanted) {
  if (c.variant != Variant::kFunctional || !adds_elements(c)) return false;
  for (const int operand : {kSelf, kGrad}) change_rank(operand_at(c, operand), wanted);
  return true;
}

/// Gives grad_output one dimension more than self has or, where self has batches, one less.
bool change_rank_of_grad(Case& c) {
  if (!adds_elements(c)) return false;
  const int most = rank_with_batches(c);
  change_rank(c.operands[kGrad], rank(c.operands[kSelf].shape) < most ? most : most - 1);
  return true;
}

/// Gives grad_output another size in one of the padded dimensions.
bool misfit_grad(Case& c) {
  if (!adds_elements(c)) return false;
  Operand& grad = c.operands[kGrad];
  const std::uint64_t chance = chance_of(c);
  const std::size_t dim =
      grad.shape.size() - 1 - chance % static_cast<std::uint64_t>(padded_dims(c));
  const std::int64_t size = grad.shape[dim];
  const bool is_less = chance / 8 % 2 != 0 && size > 1;
  resize_dimension(grad, dim, is_less ? size - 1 : size + 1);
  return true;
}

/// Gives grad_output so many slices more than self has in a dimension that is not padded: in that
/// of channels, or in that of batches, of which none may remain.
bool change_channels(Case& c, std::int64_t more) {
  Operand& grad = c.operands[kGrad];
  const std::size_t dim = grad.shape.size() - 1 - static_cast<std::size_t>(padded_dims(c));
  if (!adds_elements(c) || grad.shape[dim] + more == 0) return false;
  resize_dimension(grad, dim, grad.shape[dim] + more);
  return true;
}
bool change_batches(Case& c, std::int64_t more) {
  Operand& grad = c.operands[kGrad];
  if (!adds_elements(c) || rank(grad.shape) < rank_with_batches(c)) return false;
  resize_dimension(grad, 0, grad.shape[0] + more);
  return true;
}

constexpr std::array<IllegalRule, 14> kRules{{
    // A custom kernel may well take any number of dimensions.
    {1, "rank_above", [](Case& c) { return change_ranks(c, rank_with_batches(c) + 1); }, kATenOnly},
    {2, "rank_below", [](Case& c) { return change_ranks(c, padded_dims(c)); }, kATenOnly},
    // What is padded then comes from nowhere.
    {3, "self_empty",
     [](Case& c) {
       if (!empty_written_dimension(c, rank(c.operands[kSelf].shape) - 1)) return false;
       fit_grad(c);
       return true;
     },
     kMayBeEmpty},
    // There is no rule against a grad_input that is grad_output, of which nothing is documented.
    {4, "out_dtype", change_out_dtype},
    {5, "out_overlaps_itself", overlap_written},
    {6, "grad_dtype", [](Case& c) { return adds_elements(c) && mismatch_dtype(c, kGrad, kSelf); }},
    {7, "grad_size", misfit_grad},
    {8, "grad_rank", change_rank_of_grad},
    {9, "channels_above", [](Case& c) { return change_channels(c, 1); }},
    {10, "channels_below", [](Case& c) { return change_channels(c, -1); }},
    {11, "batches_above", [](Case& c) { return change_batches(c, 1); }},
    {12, "batches_below", [](Case& c) { return change_batches(c, -1); }},
    {14, "padding_empty", [](Case& c) { return empty_list(c, 0); }, kATenOnly},
    {15, "padding_longer", [](Case& c) { return lengthen_list(c, 0); }, kATenOnly},
}};

constexpr std::array<IllegalRule, 15> rules_and(IllegalRule last) {
  std::array<IllegalRule, 15> rules{};
  std::ranges::copy(kRules, rules.begin());
  rules.back() = last;
  return rules;
}

}  // namespace

constinit const std::array<IllegalRule, 14> replication_backward_rules = kRules;
constinit const std::array<IllegalRule, 15> reflection_backward_rules =
    rules_and({13, "padding_as_long", [](Case& c) {
                 if (!adds_elements(c)) return false;
                 pad_by_whole_size(c);
                 fit_grad(c);
                 return true;
               }});

void repair_reflection_backward(Case& c, const Limits& limits) {
  repair_reflected(c, limits, within(kSummed, limits));
  repair_grad(c);
}

void repair_replication_backward(Case& c, const Limits& limits) {
  repair_replicated(c, limits, within(kSummed, limits));
  repair_grad(c);
}

void add_reflected(const OracleInput& input, std::byte* destination) {
  add_padded(input, reflected_place, destination);
}

void add_replicated(const OracleInput& input, std::byte* destination) {
  add_padded(input, replicated_place, destination);
}

Agreement padding_grad_agreement(const Case& c) {
  return is_complex(c.operands[kSelf].dtype) ? Agreement::kSum : Agreement::kEitherZero;
}

std::int64_t reflected_terms(const Case& c, int) {
  std::int64_t terms = 1;
  for (std::size_t a = 0; a < overload_of(c).attributes.size(); a += 2)
    terms *= 1 + (c.attributes[a] > 0 ? 1 : 0) + (c.attributes[a + 1] > 0 ? 1 : 0);
  return terms;
}

std::int64_t replicated_terms(const Case& c, int) {
  std::int64_t terms = 1;
  for (std::size_t a = 0; a < overload_of(c).attributes.size(); a += 2) {
    const std::int64_t before = c.attributes[a], after = c.attributes[a + 1];
    // Both ends are the same element only if there is no other.
    terms *= 1 + (padded_size(c, a) > 1 ? std::max(before, after) : before + after);
  }
  return terms;
}

}  // namespace indexfuzz
