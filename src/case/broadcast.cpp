#include "case/broadcast.h"

#include <algorithm>

namespace indexfuzz {

void broadcast_into(Dims& shape, const Dims& other) {
  if (shape.size() < other.size()) set_rank(shape, rank(other));
  for (std::size_t i = 1; i <= other.size(); ++i) {
    std::int64_t& size = shape[shape.size() - i];
    if (size == 1) size = other[other.size() - i];
  }
}

bool broadcasts_with(const Dims& shape, const Dims& other) {
  for (std::size_t i = 1; i <= std::min(shape.size(), other.size()); ++i) {
    const std::int64_t a = shape[shape.size() - i], b = other[other.size() - i];
    if (a != b && a != 1 && b != 1) return false;
  }
  return true;
}

Dims broadcast_shape(const Dims& a, const Dims& b) {
  Dims shape = a;
  broadcast_into(shape, b);
  return shape;
}

Dims broadcast_strides(const Dims& shape, int to_rank) {
  Dims strides = row_major_strides(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) strides[d] = 0;
  }
  while (rank(strides) < to_rank) strides.insert(strides.begin(), 0);
  return strides;
}

}  // namespace indexfuzz
