#include "ops/families/max_pool_rules.h"

#include <algorithm>
#include <limits>

#include "ops/families/pool_geometry.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"

namespace indexfuzz {
namespace {

bool pools_elements(const Case& c) {
  return numel(c.operands[pool::kSelf].shape) > 0;
}

/// Gives self one dimension more than a batch has, or as many as a plane.
bool raise_rank(Case& c) {
  return c.variant == Variant::kFunctional && add_dimension(c, pool::kSelf, rank_of_batch(c) + 1);
}
bool lower_rank(Case& c) {
  const int planes = pooled_dims(c) + 1;
  return c.variant == Variant::kFunctional && rank(c.operands[pool::kSelf].shape) == planes &&
         remove_dimension(c, pool::kSelf, planes);
}

/// False if the padded plane then has no room for a window.
bool set_attribute(Case& c, int attribute, std::int64_t value) {
  if (!pools_elements(c)) return false;
  c.attributes[static_cast<std::size_t>(attribute)] = value;
  return std::ranges::min(shape_of_windows(c)) > 0;
}

bool make_window_empty(Case& c) {
  // Without a size that padding could be half of.
  return c.attributes[pool::kPadding] == 0 && set_attribute(c, pooled_dims(c) - 1, 0);
}

bool stop_windows(Case& c) {
  if (!pools_elements(c)) return false;
  window_strides(c).back() = 0;
  return true;
}

bool pad_too_much(Case& c) {
  return set_attribute(c, pool::kPadding, excessive_padding(c));
}

/// Makes windows so wide that none fits in a padded plane, nor would one in ceil_mode.
bool widen_windows(Case& c) {
  if (!pools_elements(c)) return false;
  const std::int64_t beyond = c.operands[pool::kSelf].shape.back() +
                              2 * c.attributes[pool::kPadding] + window_strides(c).back();
  // Not so wide that what a window spans wraps around in 32 bits.
  std::int64_t& dilation = c.attributes[pool::kDilation];
  dilation = std::min(dilation, beyond);
  window_sizes(c).back() = beyond / dilation + 2;
  return true;
}

/// Moves the three places of a window so far apart that what it spans wraps around in 32 bits.
bool spread_windows(Case& c) {
  if (!pools_elements(c)) return false;
  std::ranges::fill(window_sizes(c), 1);
  window_sizes(c).back() = 3;
  c.attributes[pool::kPadding] = 0;
  c.attributes[pool::kDilation] = std::numeric_limits<std::int32_t>::max();
  return true;
}

bool change_list(Case& c, bool (*change)(Case&, int), int first) {
  return pools_elements(c) && change(c, first);
}

/// Strides without numbers are those of windows side by side, and a single one may stand for all.
bool lengthen_strides(Case& c) {
  return std::ssize(window_strides(c)) + 1 != pooled_dims(c) &&
         change_list(c, lengthen_list, pooled_dims(c));
}

}  // namespace

/// A custom kernel may well take planes in any number of dimensions, or without elements, and need
/// not look at numbers that make no windows.
const std::array<IllegalRule, 17> max_pool_rules{{
    {1, "rank_above", raise_rank, kATenOnly},
    {2, "rank_below", lower_rank, kATenOnly},
    {3, "self_empty",
     [](Case& c) { return empty_written_dimension(c, rank(c.operands[pool::kSelf].shape) - 1); },
     kATenOnly},
    {4, "window_zero", make_window_empty, kATenOnly},
    {5, "window_above", widen_windows, kATenOnly},
    {6, "stride_zero", stop_windows, kATenOnly},
    {7, "dilation_zero", [](Case& c) { return set_attribute(c, pool::kDilation, 0); }, kATenOnly},
    {8, "padding_above", pad_too_much, kATenOnly},
    {9, "padding_below", [](Case& c) { return set_attribute(c, pool::kPadding, -1); }, kATenOnly},
    {10, "kernel_size_empty", [](Case& c) { return change_list(c, empty_list, 0); }, kATenOnly},
    {11, "kernel_size_longer", [](Case& c) { return change_list(c, lengthen_list, 0); }, kATenOnly},
    {12, "stride_longer", lengthen_strides, kATenOnly},
    {13, "padding_empty", [](Case& c) { return change_list(c, empty_list, pool::kPadding); },
     kATenOnly},
    {14, "dilation_empty", [](Case& c) { return change_list(c, empty_list, pool::kDilation); },
     kATenOnly},
    {15, "out_dtype", change_out_dtype},
    {16, "out_overlaps_itself", overlap_written},
    {17, "span_wraps", spread_windows, kATenOnly},
}};

}  // namespace indexfuzz
