// Reads an operand's line of the text form.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "case/limits.h"
#include "ops/text/case_reader.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kMostStorage = std::int64_t{1} << 40;
constexpr std::int64_t kInt16Max = std::numeric_limits<std::int16_t>::max();
constexpr std::int64_t kUInt32Max = std::numeric_limits<std::uint32_t>::max();

Dtype read_dtype(std::string_view word) {
  if (const auto dtype = dtype_from_name(word)) return *dtype;
  std::vector<std::string_view> names;
  for (int i = 0; i < kDtypeCount; ++i) names.push_back(info(static_cast<Dtype>(i)).name);
  unknown("dtype", word, names);
}

FillKind read_fill(std::string_view word) {
  if (const auto kind = fill_from_name(word)) return *kind;
  std::vector<std::string_view> names;
  for (const FillInfo& fill : kFills) names.push_back(fill.name);
  unknown("fill", word, names);
}

Dims one_a_dimension(LineReader& line, std::string_view what, std::size_t rank, std::int64_t low,
                     std::int64_t high) {
  Dims numbers = line.tuple(what, low, high);
  if (numbers.size() != rank) {
    throw BadLine(fmt::format("{} has {} numbers, expected one for each of the {} dimensions", what,
                              numbers.size(), rank));
  }
  return numbers;
}

Dims dim_set(LineReader& line, std::string_view what, std::size_t rank) {
  return line.tuple(what, 0, static_cast<std::int64_t>(rank) - 1);
}

void read_order(LineReader& line, Layout& layout) {
  const std::size_t rank = layout.dims.size();
  const Dims order = one_a_dimension(line, "order", rank, 0, static_cast<std::int64_t>(rank) - 1);
  for (std::size_t p = 0; p < rank; ++p) {
    if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(p), order[p]) !=
        order.begin() + static_cast<std::ptrdiff_t>(p)) {
      throw BadLine(fmt::format("order names dimension {} twice", order[p]));
    }
    layout.order[p] = static_cast<std::uint8_t>(order[p]);
  }
}

void read_field(std::string_view field, LineReader& line, Operand& operand) {
  static constexpr std::string_view kFields[] = {
      "order",  "step",   "before", "after",     "expanded", "slides", "offset",  "guard",
      "slices", "device", "fill",   "negatives", "repeats",  "seed",   "popcount"};
  static constexpr std::string_view kGuards[] = {"left", "right"};
  static constexpr std::string_view kDevices[] = {"own", "host"};
  static constexpr std::string_view kNegatives[] = {"none", "all", "some"};
  Layout& layout = operand.layout;
  const std::size_t rank = operand.shape.size();
  const auto per_dim = [&](std::int16_t DimLayout::*member, std::int64_t low) {
    const Dims numbers = one_a_dimension(line, field, rank, low, kInt16Max);
    for (std::size_t d = 0; d < rank; ++d) {
      layout.dims[d].*member = static_cast<std::int16_t>(numbers[d]);
    }
  };
  const auto flags = [&](bool DimLayout::*member) {
    for (const std::int64_t d : dim_set(line, field, rank)) {
      layout.dims[static_cast<std::size_t>(d)].*member = true;
    }
  };
  if (field == "order") return read_order(line, layout);
  if (field == "step") return per_dim(&DimLayout::step, 1);
  if (field == "before") return per_dim(&DimLayout::before, 0);
  if (field == "after") return per_dim(&DimLayout::after, 0);
  if (field == "expanded") return flags(&DimLayout::expanded);
  if (field == "slides") return flags(&DimLayout::slides);
  if (field == "offset") {
    layout.offset = static_cast<std::int16_t>(line.number(field, 0, kInt16Max));
  } else if (field == "guard") {
    operand.guard = static_cast<Guard>(one_of(line, field, kGuards));
  } else if (field == "slices") {
    operand.slices = static_cast<SlicePlacement>(one_of(line, field, kNamesOfSlicePlacements));
  } else if (field == "device") {
    operand.on_host = one_of(line, field, kDevices) != 0;
  } else if (field == "fill") {
    operand.fill.kind = read_fill(line.word("the name of a fill"));
  } else if (field == "negatives") {
    operand.fill.negatives = static_cast<Negatives>(one_of(line, field, kNegatives));
  } else if (field == "repeats") {
    for (const std::int64_t d : dim_set(line, field, rank)) {
      operand.fill.repeats = static_cast<std::uint16_t>(operand.fill.repeats | 1 << d);
    }
  } else if (field == "seed") {
    operand.fill.seed = static_cast<std::uint32_t>(line.number(field, 0, kUInt32Max));
  } else if (field == "popcount") {
    operand.fill.popcount = static_cast<std::uint32_t>(line.number(field, 0, kUInt32Max));
  } else {
    unknown("field", field, kFields);
  }
}

/// Throws if the numbers are so large that arithmetic on them could overflow.
void demand_sane_size(const Operand& operand) {
  std::int64_t elements = 1;
  std::int64_t base = 1;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    const DimLayout& dim = operand.layout.dims[d];
    const std::int64_t size = std::max<std::int64_t>(operand.shape[d], 1);
    elements *= size;
    if (elements > kMostElements) {
      throw BadLine(fmt::format("an operand has at most {} elements", kMostElements));
    }
    // Both factors are at most kMostStorage, but their product may overflow.
    const std::int64_t room = size * dim.step + dim.before + dim.after;
    if (room > kMostStorage || __builtin_mul_overflow(base, room, &base) || base > kMostStorage)
      throw BadLine("its steps and paddings need too much memory");
  }
}

}  // namespace

Operand read_operand(LineReader& line) {
  Operand operand;
  const std::string_view word = line.word("a dtype or 'none'");
  if (word == "none") {
    operand.present = false;
    if (!line.at_end()) throw BadLine("nothing may follow 'none'");
    return operand;
  }
  operand.dtype = read_dtype(word);
  operand.shape = line.tuple("the shape", 0, kMostElements);
  operand.layout = contiguous_layout(rank(operand.shape));
  std::vector<std::string_view> seen;
  while (!line.at_end()) {
    const std::string_view field = line.word("a field such as 'fill='");
    line.expect('=', fmt::format("after '{}'", shown(field)));
    if (std::ranges::find(seen, field) != seen.end()) {
      throw BadLine(fmt::format("'{}' is given twice", shown(field)));
    }
    read_field(field, line, operand);
    seen.push_back(field);
  }
  demand_sane_size(operand);
  return operand;
}

}  // namespace indexfuzz
