#include "ops/fills/table.h"

#include <algorithm>
#include <cstring>

#include "case/far_slices.h"
#include "case/number.h"

namespace indexfuzz {
namespace {

TableUse table_of(const Case& c) {
  const auto table = operator_of(c).table;
  return table == nullptr || c.breaks != 0 ? TableUse{} : table(c);
}

template <typename T>
void raise(std::byte* indices, std::int64_t count, std::int64_t by) {
  for (std::int64_t i = 0; i < count; ++i, indices += sizeof(T)) {
    T index = load<T>(indices);
    if (index >= 0) index += static_cast<T>(by);
    std::memcpy(indices, &index, sizeof index);
  }
}

}  // namespace

bool may_be_table(const Case& c, int k) {
  const TableUse use = table_of(c);
  if (use.table != k || use.table < 0 || !may_be_last(operand_at(c, k))) return false;
  const Operand& index = operand_at(c, use.index);
  if (!index.present || is_mask(index) || index.slices != SlicePlacement::kByLayout) return false;
  return index.dtype == Dtype::kInt64 || called_shape(operand_at(c, k))[0] <= INT32_MAX;
}

bool has_table(const Case& c) {
  return std::ranges::any_of(c.operands, [](const Operand& o) { return are_last(o.slices); });
}

std::int64_t raised_by(const Case& c, int k) {
  if (!has_table(c)) return 0;
  const TableUse use = table_of(c);
  return use.index == k ? slices_in_front(operand_at(c, use.table)) : 0;
}

void raise_indices(const Case& c, int k, std::byte* indices) {
  const std::int64_t by = raised_by(c, k);
  if (by == 0) return;
  const Operand& index = operand_at(c, k);
  const std::int64_t count = numel(index.shape);
  index.dtype == Dtype::kInt64 ? raise<std::int64_t>(indices, count, by)
                               : raise<std::int32_t>(indices, count, by);
}

}  // namespace indexfuzz
