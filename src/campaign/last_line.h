#pragma once

#include <string>
#include <utility>

namespace indexfuzz {

/// What a program said last: of its output, the last line that is not empty, without its end.
inline std::string whole_last_line(std::string output) {
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output.substr(output.rfind('\n') + 1);
}

/// The same to be read by people: of a long line, as a whole tensor is, the beginning.
inline std::string last_line(std::string output) {
  constexpr std::size_t kMost = 200;
  std::string line = whole_last_line(std::move(output));
  if (line.size() > kMost) line.replace(kMost, std::string::npos, "...");
  return line;
}

}  // namespace indexfuzz
