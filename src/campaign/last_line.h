#pragma once

#include <string>

namespace indexfuzz {

/// What a program said last: of its output, the last line that is not empty, without its end.
inline std::string last_line(std::string output) {
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output.substr(output.rfind('\n') + 1);
}

}  // namespace indexfuzz
