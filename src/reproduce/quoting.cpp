#include "reproduce/quoting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "case/strings/printable.h"

namespace indexfuzz {

std::string one_line(std::string_view text) {
  std::string result;
  for (const char letter : text.substr(0, text.find('\0'))) {
    result += letter == '\n' ? ' ' : letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  const bool is_text = printable(text) == text;
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') result += '\\';
    // Three octal digits end by themselves in both languages.
    if (byte < ' ' || (!is_text && byte > '~')) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += letter;
    }
  }
  return result + "\"";
}

std::string python_path(std::string_view path) {
  const bool is_text = printable(path) == path;
  return is_text ? in_quotes(path) : fmt::format("os.fsdecode(b{})", in_quotes(path));
}

std::string python_part(const Dims& shape) {
  std::string index;
  for (const std::int64_t size : shape)
    index += fmt::format("{}:{}", index.empty() ? "" : ", ", size);
  return index.empty() ? "..." : index;
}

std::string python_slice(std::int64_t begin, std::int64_t count) {
  return begin == 0 ? fmt::format(":{}", count) : fmt::format("{}:{}", begin, begin + count);
}

std::string python_tuple(const Dims& dims) {
  return fmt::format("({}{})", fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
}

}  // namespace indexfuzz
