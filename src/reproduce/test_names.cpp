#include "reproduce/test_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "reproduce/program_plan.h"

namespace indexfuzz {
namespace {

// A headline may end with a kernel's own message, of any length.
constexpr std::size_t kMostCharacters = 80;

/// The letters and digits of a text, in lower case, split where there is anything else: those words
/// of the beginning that have at most kMostCharacters in all, but at least one.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  std::size_t characters = 0;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0) {
      words.back() += static_cast<char>(std::tolower(byte));
      ++characters;
    } else if (!words.back().empty()) {
      if (characters + words.size() > kMostCharacters) break;
      words.emplace_back();
    }
  }
  if (words.back().empty() && words.size() > 1) words.pop_back();
  return words;
}

std::string in_camel_case(std::string_view text) {
  std::string name;
  for (std::string word : words_of(text)) {
    if (!word.empty())
      word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    name += word;
  }
  return name;
}

}  // namespace

std::string pytest_name(const Reproduction& r) {
  return fmt::format("test_{}", fmt::join(words_of(headline(r)), "_"));
}

GtestName gtest_name(const Reproduction& r) {
  const std::string text = headline(r);
  const std::size_t comma = text.find(',');
  return {in_camel_case(text.substr(0, comma)), in_camel_case(text.substr(comma + 1))};
}

}  // namespace indexfuzz
