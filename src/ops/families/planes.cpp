#include "ops/families/planes.h"

#include <algorithm>

#include "ops/repair/clamp.h"

namespace indexfuzz {

std::int64_t plane_size(const Dims& shape, int dims) {
  std::int64_t size = 1;
  for (std::size_t d = shape.size() - static_cast<std::size_t>(dims); d < shape.size(); ++d)
    size *= shape[d];
  return size;
}

std::int64_t plane_count(const Dims& shape, int dims) {
  std::int64_t planes = 1;
  for (std::size_t d = 0; d + static_cast<std::size_t>(dims) < shape.size(); ++d)
    planes *= std::max<std::int64_t>(shape[d], 1);
  return planes;
}

void give_planes(Dims& shape, const Limits& limits, int dims) {
  const std::size_t least_rank = static_cast<std::size_t>(dims) + 1;
  const int most_rank = dims + 2;
  clamp_shape(shape, most_rank, limits.max_elements);
  if (shape.size() < least_rank) shape.insert(shape.begin(), least_rank - shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) shape[d] = std::max<std::int64_t>(shape[d], 1);
  clamp_shape(shape, most_rank, limits.max_elements);
}

}  // namespace indexfuzz
