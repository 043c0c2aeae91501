#pragma once

#include <algorithm>
#include <string_view>

namespace indexfuzz {

/// The text without the blanks around it, and without the carriage return of a line's end.
inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(" \r") + 1);
}

}  // namespace indexfuzz
