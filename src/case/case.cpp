#include "case/case.h"

#include <algorithm>

namespace indexfuzz {

std::string_view name(Variant variant) {
  switch (variant) {
    case Variant::kFunctional: return "functional";
    case Variant::kInPlace: return "in-place";
    case Variant::kOut: return "out";
  }
  return "unknown";
}

std::int64_t total_elements(const Case& c) {
  std::int64_t total = 0;
  for (const Operand& operand : c.operands) {
    if (operand.present) total += numel(operand.shape);
  }
  return total;
}

IntegerList passed_list(const Case& c, const ListedAttributes& listed) {
  const auto begin = c.attributes.begin() + static_cast<std::ptrdiff_t>(listed.first);
  IntegerList list(begin, begin + static_cast<std::ptrdiff_t>(listed.count));
  for (std::size_t again = 1; again < listed.times; ++again) list.push_back(list.back());
  if (c.misfit_list.first != static_cast<int>(listed.first)) return list;
  if (c.misfit_list.is_empty)
    list.clear();
  else
    list.push_back(list.back());
  return list;
}

void drop_dimension(Operand& operand, std::size_t d) {
  if (d >= operand.shape.size()) return;
  operand.shape.erase(operand.shape.begin() + static_cast<std::ptrdiff_t>(d));
  Layout& layout = operand.layout;
  layout.dims.erase(layout.dims.begin() + static_cast<std::ptrdiff_t>(d));
  layout.order.erase(std::ranges::find(layout.order, d));
  for (std::uint8_t& other : layout.order)
    other = static_cast<std::uint8_t>(other - (other > d ? 1 : 0));
  const std::uint32_t low = operand.fill.repeats & ((1u << d) - 1);
  operand.fill.repeats = static_cast<std::uint16_t>(low | ((operand.fill.repeats >> (d + 1)) << d));
}

void insert_dimension(Operand& operand, std::size_t d, std::int64_t size) {
  if (operand.shape.size() == kMaxDims) return;
  Layout& layout = operand.layout;
  for (std::uint8_t& other : layout.order)
    other = static_cast<std::uint8_t>(other + (other >= d ? 1 : 0));
  const auto displaced = std::ranges::find(layout.order, d + 1);
  layout.order.insert(displaced, static_cast<std::uint8_t>(d));
  layout.dims.insert(layout.dims.begin() + static_cast<std::ptrdiff_t>(d), DimLayout{});
  operand.shape.insert(operand.shape.begin() + static_cast<std::ptrdiff_t>(d), size);
  const std::uint32_t low = operand.fill.repeats & ((1u << d) - 1);
  operand.fill.repeats = static_cast<std::uint16_t>(low | ((operand.fill.repeats >> d) << (d + 1)));
}

}  // namespace indexfuzz
