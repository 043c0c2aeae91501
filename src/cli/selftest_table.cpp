#include "cli/selftest_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "case/strings/counted.h"

namespace indexfuzz {
namespace {

std::string_view in_words(std::optional<bool> verified) {
  return !verified ? "-" : *verified ? "fails" : "PASSES";
}

std::string verdict_on(const TrialResult& result) {
  if (!was_tried(result)) return "NOT TRIED";
  if (result.kernel->correct)
    return silent(result) ? "silent" : result.findings > 0 ? "ALARM" : "NOT VERIFIED";
  if (caught(result)) return "caught";
  return result.kind.empty() ? "NOT CAUGHT" : "OTHER KIND";
}

std::string row(const TrialResult& result) {
  const PlantedKernel& kernel = *result.kernel;
  std::string text = fmt::format("{:<50} {:<13}", kernel.name, verdict_on(result));
  if (kernel.correct && was_tried(result)) {
    text += fmt::format("{:>18} cases", grouped(result.cases));
  } else if (!result.kind.empty()) {
    text += fmt::format("{:<9}{:>9}{:>11}{:>9.2f}{:>7.2f}{:>9} of{:>6}  {:<7} {:<7}", result.kind,
                        result.cases, result.triggered, result.first_seconds, result.seconds,
                        result.elements, 2 * declared_elements(kernel, result.kind),
                        in_words(result.repro_py), in_words(result.repro_cpp));
    if (!is_small(result)) text += "LARGE";
  }
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

/// The lines below a row: what a person should look at.
std::string complaint(const TrialResult& result) {
  std::string text;
  if (!result.error.empty()) text += fmt::format("    {}\n", result.error);
  if (!as_catalogued(result)) {
    if (!result.kernel->correct && was_tried(result))
      text += fmt::format("    expected: {}{}{}\n", fmt::join(result.kernel->kinds, " or "),
                          result.kernel->blames.empty() ? "" : ", ", result.kernel->blames);
    if (!result.signature.empty()) text += fmt::format("    {}\n", result.signature);
    text += fmt::format("    {}\n", result.command);
  }
  if (result.unconfirmed > 0)
    text += fmt::format("    {} never failed again\n", plural(result.unconfirmed, "failing case"));
  return text;
}

std::string sums(std::span<const TrialResult> results) {
  std::vector<double> seconds;
  std::uint64_t planted = 0, correct = 0, quiet = 0, small = 0, cases = 0, denied = 0;
  std::uint64_t untried = 0;
  for (const TrialResult& result : results) {
    if (!was_tried(result)) {
      ++untried;
      continue;
    }
    if (result.kernel->correct) {
      ++correct;
      quiet += silent(result) ? 1 : 0;
      cases += result.cases;
      continue;
    }
    ++planted;
    if (!caught(result)) continue;
    seconds.push_back(result.first_seconds);
    small += is_small(result) ? 1 : 0;
    denied += result.repro_py.value_or(true) && result.repro_cpp.value_or(true) ? 0 : 1;
  }
  std::string text;
  if (planted > 0) text += fmt::format("{} of {} planted bugs caught", seconds.size(), planted);
  if (!seconds.empty()) {
    std::ranges::sort(seconds);
    text += fmt::format(
        ", the median after {:.2f} s, the last after {:.2f} s; {} of {} minimal cases within twice "
        "the declared elements",
        seconds[seconds.size() / 2], seconds.back(), small, seconds.size());
    if (denied > 0) text += fmt::format("; the programs of {} do not fail", denied);
  }
  if (planted > 0) text += "\n";
  if (correct > 0)
    text += fmt::format("{} of {} correct kernels silent over {} cases\n", quiet, correct,
                        grouped(cases));
  if (untried > 0) {
    text += fmt::format("{} not tried: the campaign could not do its work\n",
                        plural(untried, "kernel"));
  }
  return text;
}

nlohmann::ordered_json json_of(std::optional<bool> verified) {
  return verified ? nlohmann::ordered_json(*verified) : nlohmann::ordered_json(nullptr);
}

/// Null if the program did not exit by itself: the row's "error" says how it ended.
nlohmann::ordered_json exit_code_of(const ProgramEnd& end) {
  if (end.how != ProgramEnd::How::kExited) return nullptr;
  return end.code;
}

}  // namespace

std::string in_words(const TrialResult& result) {
  std::string text = fmt::format("{}: {}", result.kernel->name, verdict_on(result));
  if (!result.kind.empty()) {
    text += fmt::format(", {} after {:.2f} s, {}", result.kind, result.first_seconds,
                        plural(static_cast<std::uint64_t>(result.elements), "element"));
  } else if (!result.error.empty()) {
    text += ", " + result.error;
  } else {
    text += fmt::format(", {} cases", grouped(result.cases));
  }
  return text;
}

std::string selftest_table(std::span<const TrialResult> results) {
  // reached: the cases on which the kernel was judged; triggered: how many of them failed. first s:
  // until the failing case was drawn; all s: until it was re-run, shrunk and stored.
  std::string text = fmt::format(
      "{:<50} {:<13}{:<9}{:>9}{:>11}{:>9}{:>7}{:>12}{:>6}  {:<7} {:<7}\n", "kernel", "", "kind",
      "reached", "triggered", "first s", " all s", "elements", "2x", "py", "cpp");
  for (const TrialResult& result : results) text += row(result) + complaint(result);
  return text + "\n" + sums(results);
}

nlohmann::ordered_json selftest_json(std::span<const TrialResult> results) {
  auto rows = nlohmann::ordered_json::array();
  for (const TrialResult& result : results) {
    const PlantedKernel& kernel = *result.kernel;
    nlohmann::ordered_json one{{"kernel", kernel.name},
                               {"operator", kernel.op},
                               {"correct", kernel.correct},
                               {"as_catalogued", as_catalogued(result)},
                               {"exit_code", exit_code_of(result.end)},
                               {"cases", result.cases},
                               {"triggered", result.triggered},
                               {"findings", result.findings},
                               {"seconds", result.seconds}};
    if (!result.kind.empty()) {
      one.update({{"kind", result.kind},
                  {"first_seconds", result.first_seconds},
                  {"elements", result.elements},
                  {"declared_elements", declared_elements(kernel, result.kind)},
                  {"signature", result.signature},
                  {"repro_py_verified", json_of(result.repro_py)},
                  {"repro_cpp_verified", json_of(result.repro_cpp)}});
    }
    if (!result.error.empty()) one["error"] = result.error;
    rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace indexfuzz
