#include "cli/summary_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "case/strings/counted.h"
#include "case/strings/printable.h"

namespace indexfuzz {
namespace {

// So that the output stays on one screen.
constexpr std::size_t kMostNames = 12;

/// "One failure" or "1,234 failures", to begin a sentence.
std::string counted(std::uint64_t count, std::string_view noun) {
  return count == 1 ? fmt::format("One {}", noun) : plural(count, noun);
}

}  // namespace

std::string nothing_verified(std::vector<std::string> names) {
  const std::size_t count = names.size();
  names.resize(std::min(count, kMostNames));
  for (std::string& name : names) name = printable(name);
  std::string text = fmt::format("nothing was verified for {}", fmt::join(names, ", "));
  if (count > kMostNames) {
    text += fmt::format(
        " and {} more, which summary.json names; more --time, or fewer operators or "
        "implementations, leave more cases to each",
        count - kMostNames);
  }
  return text + ".";
}

std::vector<std::string> totals_in_words(const Summary& summary) {
  return {
      fmt::format("{} cases in {:.0f} s ({}/s), seed {}, torch {}", grouped(summary.cases),
                  summary.seconds, grouped(static_cast<std::uint64_t>(summary.cases_per_second)),
                  summary.seed, printable(summary.torch)),
      fmt::format("{:.1f} % not run (too similar to earlier findings), {} never failed again, "
                  "{} died",
                  100 * summary.steered_share, plural(summary.unconfirmed, "failing case"),
                  plural(summary.worker_deaths, "worker"))};
}

LeftOpen left_open(const CampaignStatus& status) {
  return {{}, status.elusive, status.untracked, status.unlocated, status.unexamined};
}

LeftOpen left_open(const Summary& summary) {
  return {summary.unverified, summary.elusive, summary.untracked, summary.unlocated,
          summary.unexamined};
}

std::vector<std::string> why_inconclusive(const LeftOpen& open) {
  std::vector<std::string> why;
  if (!open.unverified.empty()) {
    std::string sentence = nothing_verified(open.unverified);
    sentence.front() = 'N';
    why.push_back(std::move(sentence));
  }
  if (open.elusive > 0) {
    why.push_back(fmt::format(
        "{} occurred three times or more and never again, as happens if a kernel keeps state over "
        "thousands of calls; log.jsonl has such cases, as \"unconfirmed\".",
        open.elusive == 1 ? "One kind of failure" : grouped(open.elusive) + " kinds of failures"));
  }
  if (open.untracked > 0) {
    why.push_back(fmt::format("{} {} let go, since no more could be told apart.",
                              counted(open.untracked, "failure"),
                              open.untracked == 1 ? "was" : "were"));
  }
  if (open.unlocated > 0) {
    why.push_back(fmt::format(
        "{} of cases broke a GPU, but no single case of them does so, so that it is not known "
        "which one is at fault; log.jsonl has their numbers.",
        open.unlocated == 1 ? "A batch" : grouped(open.unlocated) + " batches"));
  }
  if (open.unexamined > 0) {
    why.push_back(fmt::format(
        "{} still waited to be examined long after the time was up and {} dropped: give it more "
        "--time; log.jsonl has the numbers of such cases, as \"cut off\".",
        counted(open.unexamined, "failure"), open.unexamined == 1 ? "was" : "were"));
  }
  return why;
}

}  // namespace indexfuzz
