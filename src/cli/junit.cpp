#include "cli/junit.h"

#include <fmt/format.h>

#include <algorithm>

namespace indexfuzz {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      // XML has no way to write most control characters.
      default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

}  // namespace

std::string_view name(Replayed::Outcome outcome) {
  switch (outcome) {
    case Replayed::Outcome::kPassed: return "passed";
    case Replayed::Outcome::kKnown: return "known";
    case Replayed::Outcome::kFailed: return "FAILED";
    case Replayed::Outcome::kFixed: return "FIXED";
    case Replayed::Outcome::kSkipped: return "skipped";
  }
  return "";
}

std::string junit_text(const std::vector<Replayed>& results) {
  const auto failures = std::ranges::count_if(results, [](const Replayed& r) {
    return r.outcome == Replayed::Outcome::kFailed || r.outcome == Replayed::Outcome::kFixed;
  });
  const auto skipped = std::ranges::count(results, Replayed::Outcome::kSkipped, &Replayed::outcome);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"indexfuzz replay\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
      results.size(), failures, skipped);
  for (const Replayed& result : results) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", escaped(result.implementation),
                        escaped(result.file));
    switch (result.outcome) {
      case Replayed::Outcome::kPassed: text += "/>\n"; break;
      case Replayed::Outcome::kKnown:
        text +=
            fmt::format("><system-out>known: {}</system-out></testcase>\n", escaped(result.text));
        break;
      case Replayed::Outcome::kFailed:
      case Replayed::Outcome::kFixed:
        text += fmt::format("><failure message=\"{}\"/></testcase>\n", escaped(result.text));
        break;
      case Replayed::Outcome::kSkipped:
        text += fmt::format("><skipped message=\"{}\"/></testcase>\n", escaped(result.text));
        break;
    }
  }
  return text + "</testsuite>\n";
}

}  // namespace indexfuzz
