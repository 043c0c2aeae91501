#pragma once

#include <string>
#include <utility>

#include "case/strings/printable.h"

namespace indexfuzz {

/// The last line of a program's output that is not empty, without its newline.
inline std::string whole_last_line(std::string output) {
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output.substr(output.rfind('\n') + 1);
}

/// As whole_last_line(), for people: printable, and a long line, such as a whole tensor, is cut
/// off.
inline std::string last_line(std::string output) {
  constexpr std::size_t kMost = 200;
  const std::string line = printable(whole_last_line(std::move(output)));
  return line.size() > kMost ? std::string(beginning(line, kMost)) + "..." : line;
}

}  // namespace indexfuzz
