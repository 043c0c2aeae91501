#include "case/strings/toml_dots.h"

#include <algorithm>

namespace indexfuzz {
namespace {

/// The length of the string literal that a text begins with. A literal that is not closed ends with
/// its line, where every parser gives up, or with the text if it is a multi-line one.
std::size_t string_length(std::string_view text) {
  const char quote = text.front();
  const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
  const bool multiline = text.starts_with(three);
  const std::string_view end = multiline ? three : three.substr(0, 1);
  std::size_t at = end.size();
  while (at < text.size() && !text.substr(at).starts_with(end)) {
    if (text[at] == '\n' && !multiline) return at;
    at += text[at] == '\\' && quote == '"' ? 2 : 1;
  }
  return std::min(at + end.size(), text.size());
}

}  // namespace

std::size_t dots_outside_strings(std::string_view text) {
  std::size_t dots = 0;
  while (!text.empty()) {
    std::size_t length = 1;
    switch (text.front()) {
      case '"':
      case '\'': length = string_length(text); break;
      case '#': length = std::min(text.find('\n'), text.size()); break;
      case '.': ++dots; break;
    }
    text.remove_prefix(length);
  }
  return dots;
}

}  // namespace indexfuzz
