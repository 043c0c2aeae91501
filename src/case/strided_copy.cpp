#include "case/strided_copy.h"

#include <cstring>

#include "case/walk.h"

namespace indexfuzz {
namespace {

template <std::size_t kSize>
struct Copy {
  static constexpr auto kBytes = static_cast<std::int64_t>(kSize);

  static void scatter(const Dims& shape, const Dims& strides, const std::byte* dense,
                      std::byte* view) {
    for_each_row<1>(shape, {&strides}, [&](const Row<1>& row) {
      const std::byte* from = dense + row.first * kBytes;
      std::byte* to = view + row.at[0] * kBytes;
      const std::int64_t step = row.step[0] * kBytes;
      if (step == kBytes) {
        std::memcpy(to, from, static_cast<std::size_t>(row.count) * kSize);
        return;
      }
      for (std::int64_t i = 0; i < row.count; ++i, from += kSize, to += step)
        std::memcpy(to, from, kSize);
    });
  }
  static void gather(const Dims& shape, const Dims& strides, const std::byte* view,
                     std::byte* dense) {
    for_each_row<1>(shape, {&strides}, [&](const Row<1>& row) {
      std::byte* to = dense + row.first * kBytes;
      const std::byte* from = view + row.at[0] * kBytes;
      const std::int64_t step = row.step[0] * kBytes;
      for (std::int64_t i = 0; i < row.count; ++i, to += kSize, from += step)
        std::memcpy(to, from, kSize);
    });
  }
  static bool equal(const Dims& shape, const Dims& strides, const std::byte* dense,
                    const std::byte* view) {
    return for_each_row<1>(shape, {&strides}, [&](const Row<1>& row) {
      const std::byte* a = dense + row.first * kBytes;
      const std::byte* b = view + row.at[0] * kBytes;
      const std::int64_t step = row.step[0] * kBytes;
      if (step == kBytes)
        return std::memcmp(a, b, static_cast<std::size_t>(row.count) * kSize) == 0;
      for (std::int64_t i = 0; i < row.count; ++i, a += kSize, b += step) {
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
