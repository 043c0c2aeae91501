#include <fmt/format.h>

#include <algorithm>

#include "cli/escaped.h"
#include "cli/replayed.h"

namespace indexfuzz {
namespace {

/// The content of a <testcase> element.
std::string body(const Replayed& result) {
  const std::string text = escaped(result.text);
  switch (result.outcome) {
    case Replayed::Outcome::kPassed: return "";
    case Replayed::Outcome::kKnown:
      return fmt::format("<system-out>known: {}; {}</system-out>", text, escaped(result.reason));
    case Replayed::Outcome::kFailed: return fmt::format("<failure message=\"failed: {}\"/>", text);
    case Replayed::Outcome::kFixed: return fmt::format("<failure message=\"fixed: {}\"/>", text);
    case Replayed::Outcome::kSkipped:
      return fmt::format("<skipped message=\"skipped: {}\"/>", text);
    case Replayed::Outcome::kUnreadable:
      return fmt::format("<error message=\"unreadable: {}\"/>", text);
  }
  return "";
}

}  // namespace

std::string junit_text(const std::vector<Replayed>& results) {
  const auto count = [&](Replayed::Outcome outcome) {
    return std::ranges::count(results, outcome, &Replayed::outcome);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"indexfuzz replay\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\">\n",
      results.size(), count(Replayed::Outcome::kFailed) + count(Replayed::Outcome::kFixed),
      count(Replayed::Outcome::kUnreadable), count(Replayed::Outcome::kSkipped));
  for (const Replayed& result : results) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
                        escaped(result.implementation), escaped(result.file), body(result));
  }
  return text + "</testsuite>\n";
}

}  // namespace indexfuzz
