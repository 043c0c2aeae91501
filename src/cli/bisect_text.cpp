#include "cli/bisect_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace indexfuzz {
namespace {

/// " (2.8.0 cannot tell)" for those that cannot; else empty.
std::string untold(std::span<const TriedVersion> tried) {
  std::vector<std::string_view> versions;
  for (const TriedVersion& one : tried) {
    if (one.shown == Shown::kCannotTell) versions.push_back(one.torch);
  }
  return versions.empty() ? "" : fmt::format(" ({} cannot tell)", fmt::join(versions, ", "));
}

/// A remark if the versions that are wrong did not all print the same; else empty.
std::string other_ways(std::span<const TriedVersion> tried) {
  const TriedVersion* first = nullptr;
  for (const TriedVersion& one : tried) {
    if (one.shown != Shown::kWrong) continue;
    if (first == nullptr) first = &one;
    if (one.line != first->line)
      return "not all are wrong in the same way: the table says what each one printed\n";
  }
  return "";
}

/// The answer where all versions that can tell say the same.
std::string one_sort(std::span<const TriedVersion> tried) {
  const auto tells = [](const TriedVersion& one) { return one.shown != Shown::kCannotTell; };
  const auto oldest = std::ranges::find_if(tried, tells);
  if (oldest == tried.end()) return "no version can tell\n";
  const auto newest = std::ranges::find_if(tried.rbegin(), tried.rend(), tells);
  const bool is_right = oldest->shown == Shown::kRight;
  return fmt::format("no {} version: {} {}{}\n", is_right ? "bad" : "good", in_words(oldest->shown),
                     oldest->torch == newest->torch
                         ? "in " + oldest->torch
                         : fmt::format("from {} to {}", oldest->torch, newest->torch),
                     untold(tried));
}

}  // namespace

std::string bisect_table(std::span<const TriedVersion> tried) {
  std::size_t width = std::string_view("torch").size();
  for (const TriedVersion& one : tried) width = std::max(width, one.torch.size());
  std::string text = fmt::format("{:<{}}  {:<11}  printed\n", "torch", width, "result");
  for (const TriedVersion& one : tried)
    text += fmt::format("{:<{}}  {:<11}  {}\n", one.torch, width, in_words(one.shown), one.line);
  return text;
}

std::string bisect_answer(std::span<const TriedVersion> tried) {
  const auto changed = changes(tried);
  if (changed.empty()) return one_sort(tried) + other_ways(tried);
  std::string text;
  bool was_bad = false, was_good = false;
  for (const auto& [from, to] : changed) {
    const bool turns_bad = tried[to].shown == Shown::kWrong;
    (turns_bad ? was_good : was_bad) = true;
    const bool again = turns_bad ? was_bad : was_good;
    text += fmt::format("first {}{} {}, last {} {}{}\n", turns_bad ? "bad" : "good",
                        again ? " again" : "", tried[to].torch, turns_bad ? "good" : "bad",
                        tried[from].torch, untold(tried.subspan(from, to - from)));
  }
  return text + other_ways(tried);
}

}  // namespace indexfuzz
