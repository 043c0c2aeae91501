#pragma once
// Shapes and strides: a handful of 64-bit numbers without heap use.

#include <algorithm>
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

/// The non-negative form of a legal dimension number.
inline int wrapped_dim(std::int64_t dim, int rank) {
  return static_cast<int>(dim < 0 ? dim + std::max(rank, 1) : dim);
}
/// The size of a dimension; 1 if there is no such dimension, as in a tensor of rank 0.
inline std::int64_t size_at(const Dims& shape, int dim) {
  return 0 <= dim && dim < rank(shape) ? shape[static_cast<std::size_t>(dim)] : 1;
}

/// Gives the shape a rank by dropping dimensions, or adding ones of size 1, in front.
inline void set_rank(Dims& shape, int wanted) {
  while (rank(shape) > wanted) shape.erase(shape.begin());
  while (rank(shape) < wanted) shape.insert(shape.begin(), 1);
}

/// Row-major strides, in elements, of a shape; a size of 0 counts as 1 (as PyTorch does).
Dims row_major_strides(const Dims& shape);

}  // namespace indexfuzz
