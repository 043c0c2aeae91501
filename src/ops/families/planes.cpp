#include "ops/families/planes.h"

#include <algorithm>

#include "ops/repair/clamp.h"

namespace indexfuzz {

std::int64_t plane_size(const Dims& shape) {
  return shape[shape.size() - 2] * shape.back();
}

std::int64_t plane_count(const Dims& shape) {
  std::int64_t planes = 1;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d) planes *= std::max<std::int64_t>(shape[d], 1);
  return planes;
}

void give_planes(Dims& shape, const Limits& limits) {
  constexpr std::size_t kLeastRank = 3, kMostRank = 4;
  clamp_shape(shape, kMostRank, limits.max_elements);
  if (shape.size() < kLeastRank) shape.insert(shape.begin(), kLeastRank - shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) shape[d] = std::max<std::int64_t>(shape[d], 1);
  clamp_shape(shape, kMostRank, limits.max_elements);
}

}  // namespace indexfuzz
