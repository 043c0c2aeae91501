#pragma once

#include <string>

namespace indexfuzz {

/// Replaces every `from` in the text by `to`.
inline void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace indexfuzz
