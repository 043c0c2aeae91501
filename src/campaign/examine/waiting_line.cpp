#include "campaign/examine/waiting_line.h"

#include <algorithm>

namespace indexfuzz {

void line_up(std::deque<Suspect>& line, Suspect suspect) {
  const auto is_urgent = [](const Suspect& one) { return one.batch_end != 0; };
  const auto place = is_urgent(suspect) ? std::ranges::find_if_not(line, is_urgent) : line.end();
  line.insert(place, std::move(suspect));
}

void line_up_behind_few(std::deque<Suspect>& line, Suspect suspect) {
  const std::size_t place = std::min(line.size(), kOthersBefore);
  line.insert(line.begin() + static_cast<std::ptrdiff_t>(place), std::move(suspect));
}

}  // namespace indexfuzz
