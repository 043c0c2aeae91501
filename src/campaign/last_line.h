#pragma once

#include <string>
#include <utility>

namespace indexfuzz {

/// The last line of a program's output that is not empty, without its newline.
inline std::string whole_last_line(std::string output) {
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output.substr(output.rfind('\n') + 1);
}

/// As whole_last_line(), for people: a long line, such as a whole tensor, is cut off.
inline std::string last_line(std::string output) {
  constexpr std::size_t kMost = 200;
  std::string line = whole_last_line(std::move(output));
  if (line.size() > kMost) line.replace(kMost, std::string::npos, "...");
  return line;
}

}  // namespace indexfuzz
