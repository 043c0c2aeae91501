#pragma once
// Drawn cases, as tests count them.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../written_case.h"
#include "draw/draw.h"

namespace indexfuzz {

/// Calls f(case) for so many drawn cases of one operator.
template <typename F>
void with_drawn(std::string_view op, std::uint64_t count, F&& f) {
  std::vector<Target> targets = all_targets();
  std::erase_if(targets, [&](const Target& t) { return t.op != find_operator(op)->number; });
  Case c;
  for (std::uint64_t i = 0; i < count; ++i) {
    draw_case(5, 0, i, targets, {}, c);
    f(c);
  }
}

}  // namespace indexfuzz
