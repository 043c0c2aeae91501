#include "case/strings/printable.h"

#include <algorithm>

namespace indexfuzz {
namespace {

/// The length in bytes of the UTF-8 character at the front of a text; 0 if it is malformed or not
/// printable.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // C1 control characters, overlong forms, surrogates and numbers beyond the last character.
  const unsigned char second = byte(1);
  const bool bad = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                   (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                   (first == 0xf4 && second > 0x8f);
  return bad ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(text.front());
      result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string_view beginning(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace indexfuzz
