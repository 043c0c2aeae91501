// Plainer layouts.

#include <algorithm>
#include <vector>

#include "memory/placement.h"
#include "shrink/candidate_list.h"

namespace indexfuzz {
namespace {

/// Numbers of base elements worth trying instead of `number`, from `least` on, ascending.
std::vector<std::int16_t> smaller_numbers(int number, int least) {
  std::vector<std::int16_t> numbers;
  for (const int less : {least, least + 1, number / 2, number - 1}) {
    if (less >= least && less < number && (numbers.empty() || less > numbers.back()))
      numbers.push_back(static_cast<std::int16_t>(less));
  }
  return numbers;
}

}  // namespace

void lay_plainly(Operand& operand) {
  operand.layout = contiguous_layout(rank(operand.shape));
  operand.guard = Guard::kLeft;
}

void offer_layouts(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Layout& layout = c.operands[k].layout;
    out.offer_operand(k, lay_plainly);
    for (const std::int16_t less : smaller_numbers(layout.offset, 0))
      out.offer_operand(k, [&](Operand& o) { o.layout.offset = less; });
    out.offer_operand(k, [](Operand& o) { o.guard = Guard::kLeft; });
    // A failure that is due to the unaligned address alone needs no page behind the operand.
    out.offer_operand(k, [&](Operand& o) {
      o.layout = placed_layout(c, static_cast<int>(k));
      o.guard = Guard::kLeft;
    });
    out.offer_operand(k, [](Operand& o) { std::ranges::sort(o.layout.order); });
    for (std::size_t d = 0; d < layout.dims.size(); ++d) {
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d] = DimLayout{}; });
      for (const std::int16_t less : smaller_numbers(layout.dims[d].step, 1))
        out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].step = less; });
      for (const std::int16_t less : smaller_numbers(layout.dims[d].before, 0))
        out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].before = less; });
      for (const std::int16_t less : smaller_numbers(layout.dims[d].after, 0))
        out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].after = less; });
      out.offer_operand(
          k, [&](Operand& o) { o.layout.dims[d].expanded = o.layout.dims[d].slides = false; });
    }
  }
}

void offer_plain_layouts(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& own = c.operands[k];
    if (is_contiguous(own.layout) && own.guard == Guard::kLeft &&
        own.slices == SlicePlacement::kByLayout)
      continue;
    const auto offer = [&](auto&& change) {
      out.offer_operand(k, [&](Operand& o) {
        o.fill.repeats = 0;
        lay_plainly(o);
        o.slices = SlicePlacement::kByLayout;
        change(o);
      });
    };
    offer([](Operand& o) { o.layout.offset = 1; });
    for (std::size_t d = own.shape.size(); d-- > 0;)
      offer([&](Operand& o) { o.layout.dims[d].after = 1; });
    for (std::size_t d = own.shape.size(); d-- > 0;) {
      offer([&](Operand& o) { o.layout.dims[d].step = 2; });
      offer([&](Operand& o) { o.layout.dims[d].expanded = true; });
      if (d > 0) offer([&](Operand& o) { std::swap(o.layout.order[d - 1], o.layout.order[d]); });
    }
  }
}

}  // namespace indexfuzz
