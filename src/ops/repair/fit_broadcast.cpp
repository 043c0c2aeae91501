#include "ops/repair/fit_broadcast.h"

#include <algorithm>

#include "case/broadcast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {

void fit_broadcast(Dims& shape, const Dims& to) {
  while (shape.size() > to.size()) shape.erase(shape.begin());
  for (std::size_t i = 1; i <= shape.size(); ++i) {
    std::int64_t& size = shape[shape.size() - i];
    if (size != 1) size = to[to.size() - i];
  }
}

void fit_broadcast_either_way(Dims& shape, const Dims& other, const Limits& limits) {
  while (rank(shape) > limits.max_rank) shape.erase(shape.begin());
  for (std::size_t i = 1; i <= std::min(shape.size(), other.size()); ++i) {
    std::int64_t& size = shape[shape.size() - i];
    const std::int64_t wanted = other[other.size() - i];
    if (size != 1 && wanted != 1) size = wanted;
  }
  if (!is_within(broadcast_shape(shape, other), limits)) fit_broadcast(shape, other);
}

}  // namespace indexfuzz
