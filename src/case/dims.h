#pragma once
// Shapes and strides: a handful of 64-bit numbers without heap use.

#include <boost/container/static_vector.hpp>
#include <cstdint>

namespace indexfuzz {

/// The highest rank of any operand or result; drawn operands have at most Limits::max_rank.
inline constexpr int kMaxDims = 12;

using Dims = boost::container::static_vector<std::int64_t, kMaxDims>;

inline int rank(const Dims& dims) {
  return static_cast<int>(dims.size());
}

/// The number of elements of a shape; 1 for rank 0.
inline std::int64_t numel(const Dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

/// Row-major strides, in elements, of a shape; a size of 0 counts as 1 (as PyTorch does).
Dims row_major_strides(const Dims& shape);

}  // namespace indexfuzz
