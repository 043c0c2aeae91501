#include "ops/fills/numbering.h"

#include <algorithm>
#include <numeric>

#include "case/number.h"

namespace indexfuzz {

Numbering number_values(const Operand& operand) {
  Numbering result;
  const std::size_t rank = operand.shape.size();
  if (operand.fill.repeats == 0 && !has_sliding(operand.layout)) {
    result.count = numel(operand.shape);
    return result;
  }
  result.dense = false;
  result.strides.resize(rank);
  // slider[d]: the dimension that slides over d, or -1.
  Dims slider(rank, -1);
  for (std::size_t p = 0; p + 1 < operand.layout.order.size(); ++p) {
    if (operand.layout.dims[operand.layout.order[p]].slides) {
      slider[operand.layout.order[p + 1]] = operand.layout.order[p];
    }
  }
  for (std::size_t d = rank; d-- > 0;) {
    if (operand.layout.dims[d].slides) continue;
    if ((operand.fill.repeats >> d) & 1) {
      result.strides[d] = 0;
      continue;
    }
    std::int64_t length = operand.shape[d];
    std::int64_t step = 1;
    if (slider[d] >= 0) {
      const auto s = static_cast<std::size_t>(slider[d]);
      step = operand.layout.dims[d].step;
      length = (std::max<std::int64_t>(length, 1) - 1) * step + 1 +
               (std::max<std::int64_t>(operand.shape[s], 1) - 1) * operand.layout.dims[s].step;
      result.strides[s] = result.count * operand.layout.dims[s].step;
    }
    result.strides[d] = result.count * step;
    result.count *= length;
  }
  return result;
}

std::int64_t values_of_a_row(const Operand& operand) {
  const std::size_t rank = operand.shape.size();
  if (rank == 0 || (operand.fill.repeats >> (rank - 1) & 1) != 0) return 1;
  return std::max<std::int64_t>(operand.shape.back(), 1);
}

std::int64_t coprime_step(std::int64_t count, std::uint64_t seed) {
  if (count <= 2) return 1;
  std::int64_t step =
      1 + static_cast<std::int64_t>(hash1(seed, 77) % static_cast<std::uint64_t>(count - 1));
  while (std::gcd(step, count) != 1) step = step % (count - 1) + 1;
  return step;
}

}  // namespace indexfuzz
