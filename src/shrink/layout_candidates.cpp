// Plainer layouts.

#include <algorithm>

#include "memory/placement.h"
#include "shrink/candidate_list.h"

namespace indexfuzz {

void lay_plainly(Operand& operand) {
  operand.layout = contiguous_layout(rank(operand.shape));
  operand.guard = Guard::kLeft;
}

void offer_layouts(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Layout& layout = c.operands[k].layout;
    out.offer_operand(k, lay_plainly);
    out.offer_operand(k, [](Operand& o) { o.layout.offset = 0; });
    out.offer_operand(
        k, [](Operand& o) { o.layout.offset = std::min<std::int16_t>(o.layout.offset, 1); });
    out.offer_operand(k, [](Operand& o) { o.guard = Guard::kLeft; });
    // What an address without alignment shows needs no page.
    out.offer_operand(k, [&](Operand& o) {
      o.layout = placed_layout(c, static_cast<int>(k));
      o.guard = Guard::kLeft;
    });
    out.offer_operand(k, [](Operand& o) { std::ranges::sort(o.layout.order); });
    for (std::size_t d = 0; d < layout.dims.size(); ++d) {
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d] = DimLayout{}; });
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].step = 1; });
      out.offer_operand(k, [&](Operand& o) {
        o.layout.dims[d].step = std::min<std::int16_t>(o.layout.dims[d].step, 2);
      });
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].before = 0; });
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].after = 0; });
      out.offer_operand(k, [&](Operand& o) {
        o.layout.dims[d].before = std::min<std::int16_t>(o.layout.dims[d].before, 1);
      });
      out.offer_operand(k, [&](Operand& o) {
        o.layout.dims[d].after = std::min<std::int16_t>(o.layout.dims[d].after, 1);
      });
      out.offer_operand(
          k, [&](Operand& o) { o.layout.dims[d].expanded = o.layout.dims[d].slides = false; });
    }
  }
}

void offer_plain_layouts(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& own = c.operands[k];
    if (is_contiguous(own.layout) && own.guard == Guard::kLeft && own.slices == Slices::kNear)
      continue;
    const auto offer = [&](auto&& change) {
      out.offer_operand(k, [&](Operand& o) {
        o.fill.repeats = 0;
        lay_plainly(o);
        o.slices = Slices::kNear;
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
