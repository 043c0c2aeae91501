#include "ops/text/case_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "case/strings/nearest_name.h"

namespace indexfuzz {
namespace {

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string found(std::string_view rest) {
  return rest.empty() ? "the line ends" : fmt::format("found '{}'", shown(rest));
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 32;
  std::string result;
  for (const char c : text.substr(0, kMost)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kMost ? result + "..." : result;
}

std::string hint_at_nearest(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t kLongestName = 64;
  if (word.size() > kLongestName) return "";
  const std::string best = nearest_name(word, std::vector<std::string>(names.begin(), names.end()));
  return best.empty() ? "" : fmt::format(" (did you mean '{}'?)", best);
}

void unknown(std::string_view what, std::string_view word,
             std::span<const std::string_view> names) {
  std::string hint = hint_at_nearest(word, names);
  if (hint.empty()) hint = fmt::format(", which is none of {}", fmt::join(names, ", "));
  throw BadLine(fmt::format("unknown {} '{}'{}", what, shown(word), hint));
}

std::size_t one_of(LineReader& line, std::string_view what,
                   std::span<const std::string_view> words) {
  const std::string_view word = line.word(what);
  const auto place = std::ranges::find(words, word);
  if (place == words.end()) {
    throw BadLine(
        fmt::format("{} is '{}', which is none of {}", what, shown(word), fmt::join(words, ", ")));
  }
  return static_cast<std::size_t>(place - words.begin());
}

void LineReader::skip_blanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
}

std::string_view LineReader::word(std::string_view what) {
  std::size_t length = 0;
  while (length < rest_.size() && is_word_letter(rest_[length])) ++length;
  if (length == 0) throw BadLine(fmt::format("expected {}, {}", what, found(rest_)));
  const std::string_view result = rest_.substr(0, length);
  rest_.remove_prefix(length);
  skip_blanks();
  return result;
}

void LineReader::expect(char mark, std::string_view what) {
  if (rest_.empty() || rest_.front() != mark) {
    throw BadLine(fmt::format("expected '{}' {}, {}", mark, what, found(rest_)));
  }
  rest_.remove_prefix(1);
  skip_blanks();
}

std::int64_t LineReader::number(std::string_view what, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const char* begin = rest_.data();
  const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value);
  if (end == begin) throw BadLine(fmt::format("expected a number for {}, {}", what, found(rest_)));
  if (error != std::errc{} || value < low || value > high) {
    throw BadLine(fmt::format("{} is {}, which does not lie in [{}, {}]", what,
                              shown(rest_.substr(0, static_cast<std::size_t>(end - begin))), low,
                              high));
  }
  rest_.remove_prefix(static_cast<std::size_t>(end - begin));
  skip_blanks();
  return value;
}

Dims LineReader::tuple(std::string_view what, std::int64_t low, std::int64_t high) {
  Dims result;
  expect('(', fmt::format("to begin {}", what));
  while (rest_.empty() || rest_.front() != ')') {
    if (result.size() == result.capacity()) {
      throw BadLine(fmt::format("{} has more than {} numbers", what, kMaxDims));
    }
    result.push_back(number(what, low, high));
    if (!rest_.empty() && rest_.front() == ',') {
      expect(',', "");
    } else {
      break;
    }
  }
  expect(')', fmt::format("to end {}", what));
  return result;
}

}  // namespace indexfuzz
