#include "case/strided_copy.h"

#include <cstring>

namespace indexfuzz {
namespace {

/// Calls row(dense offset, view offset, count, stride of the view) for every innermost row; offsets
/// and strides in elements. Ends early where `row` returns false.
template <typename Row>
bool for_each_row(const Dims& shape, const Dims& strides, Row&& row) {
  const std::int64_t total = numel(shape);
  if (total == 0) return true;
  // Drop dimensions of size 1 and join those that are dense in each other.
  Dims sizes, steps;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (!sizes.empty() && steps.back() == strides[d] * shape[d]) {
      sizes.back() *= shape[d];
      steps.back() = strides[d];
    } else {
      sizes.push_back(shape[d]);
      steps.push_back(strides[d]);
    }
  }
  if (sizes.empty()) return row(0, 0, std::int64_t{1}, std::int64_t{1});
  const std::int64_t count = sizes.back(), stride = steps.back();
  sizes.pop_back();
  steps.pop_back();
  Dims at(sizes.size(), 0);
  std::int64_t view = 0;
  for (std::int64_t dense = 0; dense < total; dense += count) {
    if (!row(dense, view, count, stride)) return false;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      view += steps[d];
      if (++at[d] < sizes[d]) break;
      view -= sizes[d] * steps[d];
      at[d] = 0;
    }
  }
  return true;
}

template <std::size_t kSize>
struct Copy {
  static void scatter(const Dims& shape, const Dims& strides, const std::byte* dense,
                      std::byte* view) {
    for_each_row(shape, strides,
                 [&](std::int64_t d, std::int64_t v, std::int64_t count, std::int64_t stride) {
                   const std::byte* from = dense + d * static_cast<std::int64_t>(kSize);
                   std::byte* to = view + v * static_cast<std::int64_t>(kSize);
                   if (stride == 1) {
                     std::memcpy(to, from, static_cast<std::size_t>(count) * kSize);
                     return true;
                   }
                   for (std::int64_t i = 0; i < count;
                        ++i, from += kSize, to += stride * static_cast<std::int64_t>(kSize)) {
                     std::memcpy(to, from, kSize);
                   }
                   return true;
                 });
  }
  static void gather(const Dims& shape, const Dims& strides, const std::byte* view,
                     std::byte* dense) {
    for_each_row(shape, strides,
                 [&](std::int64_t d, std::int64_t v, std::int64_t count, std::int64_t stride) {
                   std::byte* to = dense + d * static_cast<std::int64_t>(kSize);
                   const std::byte* from = view + v * static_cast<std::int64_t>(kSize);
                   for (std::int64_t i = 0; i < count;
                        ++i, to += kSize, from += stride * static_cast<std::int64_t>(kSize)) {
                     std::memcpy(to, from, kSize);
                   }
                   return true;
                 });
  }
  static bool equal(const Dims& shape, const Dims& strides, const std::byte* dense,
                    const std::byte* view) {
    return for_each_row(
        shape, strides,
        [&](std::int64_t d, std::int64_t v, std::int64_t count, std::int64_t stride) {
          const std::byte* a = dense + d * static_cast<std::int64_t>(kSize);
          const std::byte* b = view + v * static_cast<std::int64_t>(kSize);
          if (stride == 1) return std::memcmp(a, b, static_cast<std::size_t>(count) * kSize) == 0;
          for (std::int64_t i = 0; i < count;
               ++i, a += kSize, b += stride * static_cast<std::int64_t>(kSize)) {
            if (std::memcmp(a, b, kSize) != 0) return false;
          }
          return true;
        });
  }
};

template <typename F>
auto by_size(std::size_t size, F&& f) {
  switch (size) {
    case 1: return f(Copy<1>{});
    case 2: return f(Copy<2>{});
    case 4: return f(Copy<4>{});
    case 8: return f(Copy<8>{});
    default: return f(Copy<16>{});
  }
}

}  // namespace

void scatter_elements(const Dims& shape, const Dims& strides, std::size_t size,
                      const std::byte* dense, std::byte* view) {
  by_size(size, [&](auto copy) { copy.scatter(shape, strides, dense, view); });
}

void gather_elements(const Dims& shape, const Dims& strides, std::size_t size,
                     const std::byte* view, std::byte* dense) {
  by_size(size, [&](auto copy) { copy.gather(shape, strides, view, dense); });
}

bool equal_elements(const Dims& shape, const Dims& strides, std::size_t size,
                    const std::byte* dense, const std::byte* view) {
  return by_size(size, [&](auto copy) { return copy.equal(shape, strides, dense, view); });
}

bool is_row_major(const Dims& shape, const Dims& strides) {
  std::int64_t expected = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

bool same_strides(const Dims& shape, const Dims& a, const Dims& b) {
  if (a.size() != shape.size() || b.size() != shape.size()) return false;
  if (numel(shape) == 0) return true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && a[d] != b[d]) return false;
  }
  return true;
}

}  // namespace indexfuzz
