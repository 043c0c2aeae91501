#include "ops/illegal/break_shapes.h"

#include "ops/illegal/chance.h"

namespace indexfuzz {

std::int64_t another_size(std::int64_t size) {
  return size == 0 ? 2 : size + 1;
}

void resize_dimension(Operand& operand, std::size_t dim, std::int64_t size) {
  constexpr std::int64_t kMostStored = 1 << 16;
  operand.shape[dim] = size;
  Layout& layout = operand.layout;
  // Keeps the drawn layout, paddings included, except that no two elements share memory.
  for (DimLayout& each : layout.dims) each.expanded = each.slides = false;
  if (operand.slices != SlicePlacement::kByLayout ||
      strided(operand.shape, layout).storage_elements > kMostStored)
    layout = contiguous_layout(rank(operand.shape));
  operand.fill.repeats = 0;
}

bool add_dimension(Case& c, int operand, int wanted) {
  Operand& target = operand_at(c, operand);
  if (rank(target.shape) >= wanted || wanted > kMaxDims) return false;
  while (rank(target.shape) < wanted) {
    target.layout.order.push_back(static_cast<std::uint8_t>(target.shape.size()));
    target.layout.dims.emplace_back();
    target.shape.push_back(1);
  }
  return true;
}

bool remove_dimension(Case& c, int operand, int least) {
  Operand& target = operand_at(c, operand);
  if (rank(target.shape) < least) return false;
  target.shape.pop_back();
  target.layout = contiguous_layout(rank(target.shape));
  target.fill.repeats = 0;
  return true;
}

bool add_leading_dimension(Case& c, int operand, int wanted, std::int64_t size) {
  Operand& target = operand_at(c, operand);
  if (rank(target.shape) != wanted - 1 || wanted > kMaxDims || numel(target.shape) == 0)
    return false;
  target.shape.insert(target.shape.begin(), size);
  target.layout = contiguous_layout(wanted);
  target.fill.repeats = 0;
  return true;
}

bool mismatch_broadcast(Case& c, int operand, const Dims& other) {
  Operand& target = operand_at(c, operand);
  if (target.shape.empty() || other.empty() || other.back() == 1) return false;
  resize_dimension(target, target.shape.size() - 1, another_size(other.back()));
  return true;
}

bool mismatch_broadcast_in_front(Case& c, int operand, const Dims& other) {
  Operand& target = operand_at(c, operand);
  const std::size_t rank = target.shape.size();
  // The last dimension has a rule of its own.
  if (rank < 2 || rank > other.size()) return false;
  const std::int64_t size = other[other.size() - rank];
  if (size == 1) return false;
  resize_dimension(target, 0, another_size(size));
  return true;
}

bool become_vector(Case& c, int operand, std::int64_t elements) {
  Operand& target = operand_at(c, operand);
  const DimLayout drawn = target.layout.dims.empty() ? DimLayout{} : target.layout.dims.back();
  const std::int16_t offset = target.layout.offset;
  target.shape.resize(1);
  target.layout = contiguous_layout(1);
  target.layout.dims[0] = drawn;
  target.layout.offset = offset;
  resize_dimension(target, 0, elements);
  return true;
}

bool empty_dimension(Case& c, int operand, int dim) {
  Operand& target = operand_at(c, operand);
  if (dim >= rank(target.shape) || numel(target.shape) == 0) return false;
  resize_dimension(target, static_cast<std::size_t>(dim), 0);
  return true;
}

bool empty_written_dimension(Case& c, int dim) {
  return c.variant != Variant::kOut && empty_dimension(c, 0, dim);
}

bool misshape(Case& c, int operand) {
  Operand& changed = operand_at(c, operand);
  if (numel(changed.shape) == 0 || changed.shape.empty()) return false;
  const std::size_t last = changed.shape.size() - 1;
  const std::int64_t size = changed.shape[last], before = last > 0 ? changed.shape[last - 1] : size;
  if (size == before || chance_of(changed, 4) % 2 == 0) {
    resize_dimension(changed, last, size + 1);
    return true;
  }
  resize_dimension(changed, last, before);
  resize_dimension(changed, last - 1, size);
  return true;
}

}  // namespace indexfuzz
