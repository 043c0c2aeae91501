#pragma once

#include <algorithm>
#include <string_view>

namespace indexfuzz {

/// Removes and returns the text in front of `mark`, and removes the mark; without a mark takes the
/// whole text. The lines of a text: `while (!text.empty()) use(take_until(text, "\n"));`.
inline std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::string_view taken = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(taken.size() + mark.size(), text.size()));
  return taken;
}

}  // namespace indexfuzz
