#pragma once

#include <cstdint>

namespace planted_cuda {

constexpr int kMaxRank = 12;

struct Position {
  int64_t at[kMaxRank];
};

/// A tensor as a kernel sees it, passed by value: the address of its first element, and sizes and
/// strides in elements. A shape alone has no data.
struct View {
  char* data;
  int64_t sizes[kMaxRank];
  int64_t strides[kMaxRank];
  int rank;
  int item;  ///< bytes of an element
};

inline int64_t count_of(const View& view) {
  int64_t count = 1;
  for (int d = 0; d < view.rank; ++d) count *= view.sizes[d];
  return count;
}

}  // namespace planted_cuda
