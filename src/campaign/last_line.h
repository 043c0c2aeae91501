#pragma once

#include <string>

namespace indexfuzz {

/// What a program said last: of its output, the last line that is not empty, without its end. Of a
/// long one, as a whole tensor is, the beginning.
inline std::string last_line(std::string output) {
  constexpr std::size_t kMost = 200;
  while (!output.empty() && output.back() == '\n') output.pop_back();
  std::string line = output.substr(output.rfind('\n') + 1);
  if (line.size() > kMost) line.replace(kMost, std::string::npos, "...");
  return line;
}

}  // namespace indexfuzz
