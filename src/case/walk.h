#pragma once
// Walks a shape in row-major order, with the offsets of its elements under several sets of strides
// at once. The walk goes row by row; a row extends as far as every set of strides steps evenly.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "case/dims.h"

namespace indexfuzz {

/// Elements that are neighbours in logical order and evenly spaced under each set of strides.
template <std::size_t kViews>
struct Row {
  std::int64_t first = 0;  ///< logical index of its first element
  std::int64_t count = 1;
  std::array<std::int64_t, kViews> at{};    ///< offset of its first element, by set of strides
  std::array<std::int64_t, kViews> step{};  ///< from one element to the next
};

/// Calls f(row) for each row in order; never for an empty shape. Each set of strides must have the
/// rank of the shape. If f returns a bool, false ends the walk. Returns whether the walk reached
/// its end.
template <std::size_t kViews, typename F>
bool for_each_row(const Dims& shape, const std::array<const Dims*, kViews>& strides, F&& f) {
  struct Dimension {
    std::int64_t size, at;
    std::array<std::int64_t, kViews> step;
  };
  // Innermost first, without dimensions of size 1. A dimension that continues the next inner one
  // under all strides is merged with it.
  Dimension dims[kMaxDims];
  std::size_t used = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) return true;
    if (shape[d] == 1) continue;
    bool joins = used > 0;
    for (std::size_t v = 0; v < kViews && joins; ++v)
      joins = (*strides[v])[d] == dims[used - 1].step[v] * dims[used - 1].size;
    if (joins) {
      dims[used - 1].size *= shape[d];
      continue;
    }
    dims[used].size = shape[d];
    dims[used].at = 0;
    for (std::size_t v = 0; v < kViews; ++v) dims[used].step[v] = (*strides[v])[d];
    ++used;
  }
  Row<kViews> row;
  if (used > 0) {
    row.count = dims[0].size;
    row.step = dims[0].step;
  }
  while (true) {
    if constexpr (std::is_void_v<decltype(f(std::as_const(row)))>) {
      f(std::as_const(row));
    } else if (!f(std::as_const(row))) {
      return false;
    }
    row.first += row.count;
    std::size_t d = 1;
    for (; d < used; ++d) {
      Dimension& dim = dims[d];
      for (std::size_t v = 0; v < kViews; ++v) row.at[v] += dim.step[v];
      if (++dim.at < dim.size) break;
      for (std::size_t v = 0; v < kViews; ++v) row.at[v] -= dim.step[v] * dim.size;
      dim.at = 0;
    }
    if (d >= used) return true;
  }
}

/// Calls f(i, offset...) for every element i in logical order, with one offset per set of strides.
template <typename F, typename... Strides>
void for_each_element(const Dims& shape, F&& f, const Strides&... strides) {
  constexpr std::size_t kViews = sizeof...(Strides);
  for_each_row<kViews>(shape, {&strides...}, [&](const Row<kViews>& row) {
    [&]<std::size_t... kView>(std::index_sequence<kView...>) {
      std::int64_t at[] = {row.at[kView]...};
      const std::int64_t step[] = {row.step[kView]...};
      for (std::int64_t i = row.first, end = i + row.count; i < end; ++i) {
        f(i, at[kView]...);
        ((at[kView] += step[kView]), ...);
      }
    }
    (std::make_index_sequence<kViews>{});
  });
}

}  // namespace indexfuzz
