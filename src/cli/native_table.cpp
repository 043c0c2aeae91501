#include "cli/native_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "case/strings/counted.h"
#include "cli/native_reasons.h"

namespace indexfuzz {
namespace {

std::string of_blocks(const BlockCount& blocks) {
  return fmt::format("{} of {} blocks ({:.0f} %)", grouped(blocks.reached), grouped(blocks.known),
                     percent(blocks.reached, blocks.known));
}

bool below_half(const NativeFunctionTotals& function) {
  return function.blocks.reached * 2 < function.blocks.known;
}

std::string reason(const NativeFunctionTotals& function) {
  if (!function.under_test || !below_half(function)) return "";
  if (const std::string_view why = why_unreached(function.name); !why.empty())
    return fmt::format(": {}", why);
  if (function.entered < function.parts)
    return fmt::format(": {} of its parts not entered", function.parts - function.entered);
  return ": branches that no case took";
}

std::string rows(const std::vector<const NativeFunctionTotals*>& functions) {
  std::string text = fmt::format("{:>9} {:>9} {:>6} {:>9} {:>6}  {}\n", "reached", "known", "%",
                                 "entered", "parts", "function: why below half");
  for (const NativeFunctionTotals* function : functions) {
    text += fmt::format("{:>9} {:>9} {:>6.0f} {:>9} {:>6}  {}{}\n",
                        grouped(function->blocks.reached), grouped(function->blocks.known),
                        percent(function->blocks.reached, function->blocks.known),
                        function->entered, function->parts, function->name, reason(*function));
  }
  return text;
}

}  // namespace

std::string in_one_line(const NativeTotals& totals) {
  if (!totals.error.empty()) return totals.error;
  return fmt::format("native coverage: {}; of the operators tested {}", of_blocks(totals.blocks),
                     of_blocks(totals.under_test));
}

std::string native_table(const NativeTotals& totals, bool all) {
  std::string text = in_one_line(totals) + "\n";
  if (!totals.error.empty()) return text;
  std::vector<const NativeFunctionTotals*> tested, others;
  std::uint64_t of_others = 0, below = 0, number_tested = 0;
  for (const NativeFunctionTotals& function : totals.functions) {
    if (function.under_test) {
      ++number_tested;
      below += below_half(function);
      if (all || below_half(function)) tested.push_back(&function);
    } else {
      of_others += function.blocks.known;
      others.push_back(&function);
    }
  }
  const auto unreached = [](const NativeFunctionTotals* f) {
    return f->blocks.known - f->blocks.reached;
  };
  std::ranges::stable_sort(tested, std::greater<>(), unreached);
  std::ranges::stable_sort(others, std::greater<>(), unreached);
  text += fmt::format(
      "\n{} of {} functions of the operators tested: less than half of their blocks reached\n",
      below, number_tested);
  if (!tested.empty()) text += rows(tested);
  const bool one = others.size() == 1;
  text += fmt::format(
      "\n{} with {} blocks {} not under test{}\n",
      one ? "1 function" : fmt::format("{} functions", others.size()), grouped(of_others),
      one ? "is" : "are",
      all || others.empty() ? "" : fmt::format("; --all lists {}", one ? "it" : "them"));
  if (all && !others.empty()) text += rows(others);
  if (totals.skipped > 0)
    text += fmt::format("\n{} pieces of code could not be disassembled and are not counted\n",
                        totals.skipped);
  return text;
}

}  // namespace indexfuzz
