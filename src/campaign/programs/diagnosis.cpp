#include "campaign/programs/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace indexfuzz {
namespace {

using Runs = std::vector<const ToolRun*>;

struct SettingTrait {
  std::string_view words;
  bool (*has)(const Setting&);
};
constexpr SettingTrait kTraits[] = {
    {"with several threads", [](const Setting& one) { return one.threads > 1; }},
    {"with one thread", [](const Setting& one) { return one.threads == 1; }},
    {"with wide vector instructions", [](const Setting& one) { return one.wide_vectors; }},
    {"without wide vector instructions", [](const Setting& one) { return !one.wide_vectors; }},
    {"where no launch is waited for", [](const Setting& one) { return !one.waits; }},
    {"where each launch is waited for", [](const Setting& one) { return one.waits; }}};

/// What all wrong runs have and no right one has; their names, if no trait is that.
std::string only_in(const Runs& wrong, const Runs& right) {
  for (const SettingTrait& trait : kTraits) {
    const auto has = [&](const ToolRun* run) { return trait.has(*run->setting); };
    if (std::ranges::all_of(wrong, has) && std::ranges::none_of(right, has))
      return fmt::format("only {}", trait.words);
  }
  std::vector<std::string_view> names;
  for (const ToolRun* run : wrong) names.push_back(run->name);
  return fmt::format("only in {}", fmt::join(names, ", "));
}

/// What the runs without a tool tell; empty if there was none.
std::string of_bare_runs(std::span<const ToolRun> runs) {
  Runs wrong, right;
  std::size_t untold = 0;
  for (const ToolRun& run : runs) {
    if (!run.setting || run.state == ToolRun::State::kSkipped) continue;
    switch (run.shown) {
      case Shown::kWrong: wrong.push_back(&run); break;
      case Shown::kRight: right.push_back(&run); break;
      case Shown::kCannotTell: ++untold; break;
    }
  }
  const std::size_t told = wrong.size() + right.size();
  if (told + untold == 0) return "";
  if (told == 0) return "no run of the program can tell";
  const std::string others = untold == 0 ? "" : fmt::format(" ({} cannot tell)", untold);
  if (wrong.empty() || right.empty()) {
    const std::string_view what = in_words(wrong.empty() ? Shown::kRight : Shown::kWrong);
    return told == 1 ? fmt::format("{} in the one run that tells{}", what, others)
                     : fmt::format("{} in all {} runs{}", what, told, others);
  }
  return fmt::format("wrong in {} of {}: {}{}", wrong.size(), told, only_in(wrong, right), others);
}

}  // namespace

std::string_view name(ToolRun::State state) {
  switch (state) {
    case ToolRun::State::kRan: return "ran";
    case ToolRun::State::kSkipped: return "skipped";
    case ToolRun::State::kTimedOut: return "timed out";
  }
  return "";
}

std::vector<std::string> conclusion(std::span<const ToolRun> runs, bool intermittent) {
  std::vector<std::string> lines;
  if (std::string bare = of_bare_runs(runs); !bare.empty()) lines.push_back(std::move(bare));
  if (intermittent)
    lines.emplace_back("it fails now and then, so that one run of each is no proof");
  std::vector<std::string_view> saw_nothing;
  for (const ToolRun& run : runs) {
    if (run.setting || run.shown == Shown::kCannotTell || run.says.empty()) continue;
    if (run.saw_no_fault)
      saw_nothing.push_back(run.name);
    else
      lines.push_back(fmt::format("{}: {}", run.name, run.says.front()));
  }
  if (!saw_nothing.empty())
    lines.push_back(fmt::format("no fault seen by {}", fmt::join(saw_nothing, ", ")));
  return lines;
}

bool any_conclusive(std::span<const ToolRun> runs) {
  return std::ranges::any_of(runs,
                             [](const ToolRun& run) { return run.shown != Shown::kCannotTell; });
}

}  // namespace indexfuzz
