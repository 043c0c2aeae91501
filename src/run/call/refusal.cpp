#include "run/call/refusal.h"

#include <algorithm>
#include <array>

namespace indexfuzz {

std::string_view first_line(std::string_view message) {
  return message.substr(0, message.find('\n'));
}

namespace {

constexpr std::string_view kDigits = "0123456789";

/// Removes the folders of the path in [begin, end) of a line and, if it begins at `number`, the
/// number of a line of that file: ":3".
void keep_file_name(std::string& line, std::size_t begin, std::size_t end, std::size_t number) {
  if (line.substr(number, 1) == ":")
    line.erase(number, line.find_first_not_of(kDigits, number + 1) - number);
  const std::size_t folder = line.rfind('/', end);
  if (folder != std::string::npos && folder >= begin) line.erase(begin, folder + 1 - begin);
}

}  // namespace

void shorten_place(std::string& line) {
  constexpr std::string_view kPlace = "INTERNAL ASSERT FAILED at \"";
  if (const std::size_t found = line.find(kPlace); found != std::string::npos) {
    const std::size_t begin = found + kPlace.size();
    const std::size_t end = line.find('"', begin);
    if (end != std::string::npos) keep_file_name(line, begin, end, end + 1);
    return;
  }
  // "/built/here/a.cpp:3: what is wrong", but not "/is/no/file: no such file".
  const std::size_t end = line.find_first_of(": ");
  const bool is_place = line.starts_with('/') && end != std::string::npos && line[end] == ':' &&
                        line.find_first_of(kDigits, end) == end + 1;
  if (is_place) keep_file_name(line, 0, end, end);
}

Outcome outcome_of_error(std::string_view message) {
  // The first line of an assertion may be its condition, so look for the words anywhere.
  if (message.find("INTERNAL ASSERT FAILED") != std::string_view::npos) return Outcome::kAsserted;
  constexpr std::array<std::string_view, 10> kUnsupported{
      "not implemented for",            // AT_DISPATCH_*
      "xpected dtype int64 for index",  // gather and scatter before they took int32
      "types is not supported",  // "Promotion for uint16, uint32, uint64 types is not supported"
      "Types is not supported",  // "Promotion for Float8 Types is not supported"
      "nsupported dtype",        // "Unsupported dtype", "unsupported dtype"
      "nsupported data type",
      "nsupported ScalarType",
      "not supported for dtype",
      "does not support dtype",
      "does not support automatic differentiation for outputs with complex dtype",
  };
  const bool unsupported = std::any_of(
      kUnsupported.begin(), kUnsupported.end(),
      [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
  return unsupported ? Outcome::kUnsupported : Outcome::kRefused;
}

}  // namespace indexfuzz
