#include "ops/families/pool_rules.h"

#include <algorithm>
#include <span>

#include "ops/families/pool_backward.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"

namespace indexfuzz {
namespace {

constexpr auto kAllOperands = {pool::kSelf, pool::kIndices, pool::kGrad};

bool adds_elements(const Case& c) {
  return numel(c.operands[pool::kGrad].shape) > 0;
}

/// Gives grad_output and its indices another size in this dimension.
void resize_grad(Case& c, std::size_t dim, std::int64_t size) {
  for (const int operand : {pool::kGrad, pool::kIndices})
    resize_dimension(operand_at(c, operand), dim, size);
}

/// Gives grad_output and its indices so many planes more than self has.
bool change_planes(Case& c, std::int64_t more) {
  const std::int64_t size = c.operands[pool::kGrad].shape[0] + more;
  if (!adds_elements(c) || size == 0) return false;
  resize_grad(c, 0, size);
  return true;
}

/// Gives grad_output and its indices one dimension more than self has or, where a batch lets them,
/// one less.
bool change_rank_of_grad(Case& c) {
  const int batch = rank_of_batch(c);
  if (!adds_elements(c)) return false;
  if (rank(c.operands[pool::kSelf].shape) < batch)
    return add_dimension(c, pool::kGrad, batch) && add_dimension(c, pool::kIndices, batch);
  return remove_dimension(c, pool::kGrad, batch) && remove_dimension(c, pool::kIndices, batch);
}

/// Gives all operands one dimension more than a batch has.
bool raise_ranks(Case& c) {
  if (c.variant != Variant::kFunctional) return false;
  for (const int operand : kAllOperands) add_dimension(c, operand, rank_of_batch(c) + 1);
  return true;
}

/// Gives all operands as many dimensions as a plane has.
bool lower_ranks(Case& c) {
  const int planes = pooled_dims(c) + 1;
  if (c.variant != Variant::kFunctional || rank(c.operands[pool::kSelf].shape) != planes)
    return false;
  for (const int operand : kAllOperands) remove_dimension(c, operand, planes);
  return true;
}

/// Pools to nothing.
bool empty_grad(Case& c) {
  if (!adds_elements(c)) return false;
  resize_grad(c, c.operands[pool::kGrad].shape.size() - 1, 0);
  return true;
}

constexpr std::array<IllegalRule, 15> kRules{{
    {1, "index_below", [](Case& c) { return poke_index(c, pool::kIndices, -1); },
     kMayReturnAnything},
    {2, "index_above",
     [](Case& c) { return poke_index(c, pool::kIndices, plane_of_self(c, pool::kIndices)); },
     kMayReturnAnything},
    {3, "index_dtype", [](Case& c) { return become_floating(c, pool::kIndices); }},
    {4, "indices_shape", [](Case& c) { return misshape(c, pool::kIndices); }},
    {5, "grad_dtype", [](Case& c) { return mismatch_dtype(c, pool::kGrad, pool::kSelf); }},
    {6, "planes_above", [](Case& c) { return change_planes(c, 1); }},
    {7, "planes_below", [](Case& c) { return change_planes(c, -1); }},
    {8, "grad_rank", change_rank_of_grad},
    // A custom kernel may well take planes in any number of dimensions, or pool to nothing.
    {9, "rank_above", raise_ranks, kATenOnly},
    {10, "rank_below", lower_ranks, kATenOnly},
    {11, "grad_empty", empty_grad, kATenOnly},
    // Every index is then out of range.
    {12, "self_empty",
     [](Case& c) { return empty_written_dimension(c, rank(c.operands[pool::kSelf].shape) - 1); },
     kByValue | kMayReturnAnything},
    {13, "out_dtype", change_out_dtype},
    {14, "out_overlaps_itself", overlap_written},
    {15, "index_dtype_narrow", [](Case& c) { return become_narrow(c, pool::kIndices); }, kATenOnly},
}};

/// Tells the fractional pooling another size than grad_output has.
bool change_output_size(Case& c) {
  if (!adds_elements(c)) return false;
  output_sizes(c).back() += 1;
  return true;
}

bool change_output_list(Case& c, bool (*change)(Case&, int)) {
  return adds_elements(c) && change(c, pooled_dims(c));
}

/// Of the pooling that is told sizes. Nothing is documented of one to nothing, and the sizes of a
/// window play no part, whatever their number.
constexpr std::array<IllegalRule, 3> kFractionalRules{{
    {16, "output_size", change_output_size},
    {17, "output_size_empty", [](Case& c) { return change_output_list(c, empty_list); }, kATenOnly},
    {18, "output_size_longer", [](Case& c) { return change_output_list(c, lengthen_list); },
     kATenOnly},
}};

/// Gives grad_output and its indices as many elements as there are windows now; false if in some
/// dimension there is none.
bool follow_windows(Case& c) {
  const Dims shape = shape_of_windows(c);
  if (std::ranges::min(shape) < 1) return false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (c.operands[pool::kGrad].shape[d] != shape[d]) resize_grad(c, d, shape[d]);
  }
  return true;
}

/// Gives grad_output and its indices so many elements more than there are windows in a row.
bool change_windows(Case& c, std::int64_t more) {
  const std::int64_t size = c.operands[pool::kGrad].shape.back() + more;
  if (!adds_elements(c) || size == 0) return false;
  resize_grad(c, c.operands[pool::kGrad].shape.size() - 1, size);
  return true;
}

bool change_windows_to(Case& c, std::uint8_t attribute, std::int64_t value) {
  if (!adds_elements(c)) return false;
  c.attributes[attribute] = value;
  return follow_windows(c);
}

bool make_window_empty(Case& c) {
  // Without a size that padding could be half of.
  if (c.attributes[pool::kPadding] > 0) return false;
  return change_windows_to(c, static_cast<std::uint8_t>(pooled_dims(c) - 1), 0);
}

/// There is then no number of windows that would be right.
bool stop_windows(Case& c) {
  if (!adds_elements(c)) return false;
  c.attributes[pool::kPadding - 1] = 0;
  return true;
}

bool pad_too_much(Case& c) {
  return change_windows_to(c, pool::kPadding, excessive_padding(c));
}

/// Gives the indices other planes than grad_output has: one less, or two in place of one.
bool change_planes_of_indices(Case& c) {
  const std::int64_t size = c.operands[pool::kIndices].shape[0];
  if (!adds_elements(c)) return false;
  resize_dimension(c.operands[pool::kIndices], 0, size == 1 ? 2 : size - 1);
  return true;
}

bool change_window_list(Case& c, bool (*change)(Case&, int), int first) {
  return adds_elements(c) && change(c, first);
}

/// Of the pooling with windows at equal distances. A custom kernel need not know where they lie: it
/// may add each element where its index says.
constexpr std::array<IllegalRule, 13> kMaxPoolRules{{
    {16, "windows_above", [](Case& c) { return change_windows(c, 1); }, kATenOnly},
    {17, "windows_below", [](Case& c) { return change_windows(c, -1); }, kATenOnly},
    {18, "window_zero", make_window_empty, kATenOnly},
    {19, "stride_zero", stop_windows, kATenOnly},
    {20, "dilation_zero", [](Case& c) { return change_windows_to(c, pool::kDilation, 0); },
     kATenOnly},
    {21, "padding_above", pad_too_much, kATenOnly},
    {22, "padding_below", [](Case& c) { return change_windows_to(c, pool::kPadding, -1); },
     kATenOnly},
    {23, "kernel_size_empty", [](Case& c) { return change_window_list(c, empty_list, 0); },
     kATenOnly},
    {24, "kernel_size_longer", [](Case& c) { return change_window_list(c, lengthen_list, 0); },
     kATenOnly},
    // Without strides each is as long as its window.
    {25, "stride_longer",
     [](Case& c) { return change_window_list(c, lengthen_list, pooled_dims(c)); }, kATenOnly},
    {26, "padding_empty", [](Case& c) { return change_window_list(c, empty_list, pool::kPadding); },
     kATenOnly},
    {27, "dilation_empty",
     [](Case& c) { return change_window_list(c, empty_list, pool::kDilation); }, kATenOnly},
    {28, "indices_planes", change_planes_of_indices},
}};

/// The rules of all poolings, and those of one that is told its sizes: there a grad_output that is
/// empty has another size than it was told.
template <std::size_t kOwn>
consteval std::array<IllegalRule, kRules.size() - 1 + kOwn> with_sizes(
    const std::array<IllegalRule, kOwn>& own) {
  std::array<IllegalRule, kRules.size() - 1 + kOwn> rules{};
  const auto end = std::ranges::copy_if(kRules, rules.begin(), [](const IllegalRule& rule) {
                     return rule.apply != empty_grad;
                   }).out;
  std::ranges::copy(own, end);
  return rules;
}

}  // namespace

const std::array<IllegalRule, 15> adaptive_pool_backward_rules = kRules;
const std::array<IllegalRule, 17> fractional_pool_backward_rules = with_sizes(kFractionalRules);
const std::array<IllegalRule, 27> max_pool_backward_rules = with_sizes(kMaxPoolRules);

}  // namespace indexfuzz
