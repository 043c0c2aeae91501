#pragma once
// Shared by im2col and col2im: the windows that lie at equal distances over each plane of an image,
// and the matrix of what they hold. An image has shape (C, H, W), or (N, C, H, W) as a batch; its
// columns have shape (C * kernel_height * kernel_width, L), with N in front for a batch: a column
// for each of the L windows, which count row by row, and in it for each channel the places of the
// window, row by row. What a window holds of the padding around a plane is 0.
// https://pytorch.org/docs/stable/generated/torch.nn.Unfold.html
// https://pytorch.org/docs/stable/generated/torch.nn.Fold.html
//
// Only N may be 0, and there is a window in each dimension. Paddings may be of any size, windows
// lie beside the plane. Floating point and complex numbers of more than 8 bits a part, and bool.

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/definition/operator.h"
#include "ops/families/pool_windows.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"

namespace indexfuzz {

namespace columns {
inline constexpr int kSelf = 0;
}  // namespace columns
inline constexpr OperandSpec kColumnsOperands[] = {{"self", Role::kValue}};

/// A list of two numbers, one for the height and one for the width, as an overload has them: two
/// attributes from `slot` on or, with a `count` of 1, a single one for both.
constexpr Parameter pair_parameter(int slot, int count, std::string_view name) {
  return count == 1 ? repeated_attribute(slot, 2, name) : attribute_list(slot, count, name);
}

/// The lists that both operators end with, in their order.
enum class WindowList : std::uint8_t { kKernelSize, kDilation, kPadding, kStride };
inline constexpr std::size_t kWindowLists = 4;
/// The parameter of the case's overload that is this list.
const Parameter& parameter_of(const Case& c, WindowList list);

using Pair = std::array<std::int64_t, 2>;
/// The numbers of a list, for the height and for the width.
Pair pair_of(const Case& c, const Parameter& parameter);
inline Pair pair_of(const Case& c, WindowList list) {
  return pair_of(c, parameter_of(c, list));
}

/// The windows along the height (0) or the width (1) of a plane.
PoolWindows column_windows(const Case& c, std::size_t d);
/// How many windows begin along the height and along the width of a plane of these sizes.
Pair column_window_counts(const Case& c, const Pair& plane);

/// Makes kernel size, dilation, padding and stride legal for planes of these sizes.
void settle_column_windows(Case& c, const Pair& plane);
/// Halves the largest kernel size, or if all are 1 the largest padding; false if there is none.
bool shrink_column_windows(Case& c);
/// The most elements that columns, or an image, may have where the other has so many.
std::int64_t most_beside(std::int64_t elements, const Limits& limits);
/// The dtypes that ATen has of both operators.
extern const DtypeSet column_dtypes;

/// Calls f(element of the image), in row-major order of the columns; -1 where it is padding.
template <typename F>
void for_each_column_element(const Case& c, std::int64_t planes, const Pair& plane, F&& f) {
  const PoolWindows down = column_windows(c, 0), right = column_windows(c, 1);
  const auto [windows_down, windows_right] = column_window_counts(c, plane);
  const auto in_plane = [&](std::int64_t first, std::int64_t i, std::int64_t j) {
    for (std::int64_t n = 0; n < windows_down; ++n) {
      const std::int64_t y = n * down.stride + i * down.dilation - down.padding;
      const bool is_row = 0 <= y && y < plane[0];
      for (std::int64_t m = 0; m < windows_right; ++m) {
        const std::int64_t x = m * right.stride + j * right.dilation - right.padding;
        f(is_row && 0 <= x && x < plane[1] ? first + y * plane[1] + x : -1);
      }
    }
  };
  for (std::int64_t p = 0; p < planes; ++p)
    for (std::int64_t i = 0; i < down.size; ++i)
      for (std::int64_t j = 0; j < right.size; ++j) in_plane(p * plane[0] * plane[1], i, j);
}

// Rules. A custom kernel may take any number of dimensions, or no elements, and need not look at
// numbers that make no windows.

/// Gives self so many dimensions, by ones of size 1 in front.
bool change_column_rank(Case& c, int wanted);
/// Empties the last dimension of self.
bool empty_column_self(Case& c);
/// Sets the last number of the list.
bool set_window_list(Case& c, WindowList list, std::int64_t value);
/// Pads by so much, or gives windows so many places, that the sizes wrap around in 64 bits.
bool overflow_padding(Case& c);
bool overflow_kernel(Case& c);
/// Passes the list without integers, or with its last one once more.
bool empty_window_list(Case& c, WindowList list);
bool lengthen_window_list(Case& c, WindowList list);

/// The rules that both operators have, numbers 1 to 17 and from 30 on.
inline constexpr std::array<IllegalRule, 19> kColumnRules{{
    {1, "self_empty", empty_column_self, kATenOnly},
    {2, "rank_above", [](Case& c) { return change_column_rank(c, operator_of(c).least_rank + 2); },
     kATenOnly},
    {3, "rank_below", [](Case& c) { return change_column_rank(c, operator_of(c).least_rank - 1); },
     kATenOnly},
    {4, "kernel_zero", [](Case& c) { return set_window_list(c, WindowList::kKernelSize, 0); },
     kATenOnly},
    {5, "dilation_zero", [](Case& c) { return set_window_list(c, WindowList::kDilation, 0); },
     kATenOnly},
    {6, "padding_below", [](Case& c) { return set_window_list(c, WindowList::kPadding, -1); },
     kATenOnly},
    {7, "stride_zero", [](Case& c) { return set_window_list(c, WindowList::kStride, 0); },
     kATenOnly},
    {8, "kernel_size_empty", [](Case& c) { return empty_window_list(c, WindowList::kKernelSize); },
     kATenOnly},
    {9, "kernel_size_longer",
     [](Case& c) { return lengthen_window_list(c, WindowList::kKernelSize); }, kATenOnly},
    {10, "dilation_empty", [](Case& c) { return empty_window_list(c, WindowList::kDilation); },
     kATenOnly},
    {11, "dilation_longer", [](Case& c) { return lengthen_window_list(c, WindowList::kDilation); },
     kATenOnly},
    {12, "padding_empty", [](Case& c) { return empty_window_list(c, WindowList::kPadding); },
     kATenOnly},
    {13, "padding_longer", [](Case& c) { return lengthen_window_list(c, WindowList::kPadding); },
     kATenOnly},
    {14, "stride_empty", [](Case& c) { return empty_window_list(c, WindowList::kStride); },
     kATenOnly},
    {15, "stride_longer", [](Case& c) { return lengthen_window_list(c, WindowList::kStride); },
     kATenOnly},
    {16, "out_dtype", change_out_dtype},
    {17, "out_overlaps_itself", overlap_written},
    {30, "padding_overflows", overflow_padding, kATenOnly},
    {31, "kernel_overflows", overflow_kernel, kATenOnly},
}};
/// They and an operator's own, which are numbered from 18 on.
template <std::size_t kOwn>
constexpr std::array<IllegalRule, kColumnRules.size() + kOwn> with_column_rules(
    const IllegalRule (&own)[kOwn]) {
  std::array<IllegalRule, kColumnRules.size() + kOwn> rules{};
  std::ranges::copy(own, std::ranges::copy(kColumnRules, rules.begin()).out);
  return rules;
}

}  // namespace indexfuzz
