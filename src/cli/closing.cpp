#include "cli/closing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "campaign/counts/held_traits.h"
#include "case/strings/counted.h"
#include "cli/native_table.h"
#include "cli/summary_text.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

std::string mix_line(const MixTotals& mix) {
  return fmt::format(
      "drawn: {:.0f} % empty, {:.0f} % strided, {:.0f} % expanded, {:.0f} % overlapping, {:.0f} % "
      "with duplicate indices, {:.0f} % illegal; median {} elements\n",
      percent(mix.empty, mix.cases), percent(mix.strided, mix.cases),
      percent(mix.expanded, mix.cases), percent(mix.overlapping, mix.cases),
      percent(mix.duplicates, mix.sampled), percent(mix.illegal, mix.cases), median_elements(mix));
}

/// "self is strided, self is int8, dim > 0" as "self is strided, int8, dim > 0".
std::string in_short(const std::vector<std::string>& traits) {
  std::string text;
  std::string_view last;
  for (const std::string& trait : traits) {
    const std::size_t is = trait.find(" is ");
    const std::string_view what = std::string_view(trait).substr(0, is);
    const bool again = is != std::string::npos && what == last;
    if (!text.empty()) text += ", ";
    text += again ? std::string_view(trait).substr(is + 4) : trait;
    last = is == std::string::npos ? std::string_view() : what;
  }
  return text;
}

std::string pairs_table(const CampaignStatus& status, const std::vector<std::string>& names,
                        bool strict) {
  std::string text = fmt::format("\n{:<24} {:>14} {:>12} {:>12} {:>10}\n", "verified", "agreed",
                                 "refused", "skipped", "failing");
  std::size_t last = status.hello->implementations.size();
  std::uint64_t narrowed = 0, passed_over = 0;
  for (const TestedPair& pair : existing_pairs(*status.hello, names)) {
    if (pair.implementation != last)
      text += fmt::format("{}\n", status.hello->implementations[pair.implementation].name);
    last = pair.implementation;
    const PairTotals& totals = status.totals.implementations[pair.implementation][pair.op];
    narrowed += totals.narrowed;
    passed_over += totals.passed_over;
    text += fmt::format("  {:<22} {:>14} {:>12} {:>12} {:>10}\n", operators()[pair.op]->name,
                        grouped(totals.agreed), grouped(totals.refused), grouped(skipped(totals)),
                        grouped(totals.findings));
    if (const auto words = refused_traits(status.totals, pair); !words.empty())
      text += fmt::format("    refused: {}\n", in_short(words));
    if (const std::string& said = status.totals.refusals[pair.implementation];
        totals.narrowed > 0 && !said.empty())
      text += fmt::format("    it said: \"{}\"\n", said);
    if (const HeldTraits traits = held_traits(status.totals, *status.hello, pair);
        !traits.held.empty()) {
      text += fmt::format("    held on {} over: {}\n", plural(totals.agreed, "case"),
                          in_short(traits.held));
      text += fmt::format("    never met: {}\n", in_short(traits.never_met));
    }
  }
  if (narrowed > 0 && strict) {
    text += fmt::format("{} {} nothing: the custom kernels refuse {} as well.\n",
                        plural(narrowed, "illegal case"), narrowed == 1 ? "proves" : "prove",
                        narrowed == 1 ? "its legal counterpart" : "their legal counterparts");
  } else if (narrowed > 0) {
    text += fmt::format("{} {} refused by custom kernels", plural(narrowed, "legal case"),
                        narrowed == 1 ? "was" : "were");
    if (passed_over > 0)
      text += fmt::format(", and {} similar ones were not run", grouped(passed_over));
    text += "; --strict makes a refusal a finding.\n";
  }
  return text;
}

/// Why calls were made in vain; why others were not made stands elsewhere.
std::string skipped_line(const PairTotals& totals) {
  std::vector<std::string> reasons;
  if (totals.unsupported > 0)
    reasons.push_back(grouped(totals.unsupported) + " of dtypes that are not supported");
  if (totals.vacuous > 0)
    reasons.push_back(grouped(totals.vacuous) + " without an element to judge");
  return reasons.empty()
             ? ""
             : fmt::format("Among the skipped calls are {}.\n", fmt::join(reasons, " and "));
}

std::string_view in_words(Verified verified, bool by_chance) {
  switch (verified) {
    case Verified::kFails: return "fails too";
    case Verified::kPasses: return by_chance ? "did not fail this time" : "DOES NOT FAIL";
    case Verified::kEndsOtherwise: return "ends in another way";
    case Verified::kNotRun: return "not run";
    case Verified::kCannotRun: return "cannot be run here";
    case Verified::kCannotTell: return "cannot tell";
  }
  return "";
}

std::string in_words(const Finding& finding) {
  std::string text = fmt::format("  findings/{}  {}{}\n", finding.signature.id,
                                 finding.signature.text, withdrawn(finding) ? "  WITHDRAWN" : "");
  const auto elements = static_cast<std::uint64_t>(total_elements(finding.minimal));
  text += fmt::format("    {}, {}", in_words(finding.reruns), plural(elements, "element"));
  if (!finding.known) {
    const bool by_chance = shows_by_chance(finding);
    text += fmt::format(", repro.py {}, repro.cpp {}", in_words(finding.repro_py, by_chance),
                        in_words(finding.repro_cpp, by_chance));
  }
  text += "\n";
  if (!finding.aten_reason.empty()) {
    text +=
        "    ATen fails in the same way; a kernel that forwards such calls to ATen inherits this";
    // A known finding stands below its reason.
    const bool is_told = finding.reason.find(finding.aten_reason) != std::string::npos;
    text += is_told ? ".\n" : fmt::format(": {}\n", finding.aten_reason);
  }
  return text;
}

std::string new_findings(const std::vector<const Finding*>& findings, const Hello& hello) {
  std::string text =
      fmt::format("\n{}\n", findings.empty() ? "no findings" : plural(findings.size(), "finding"));
  for (const Finding* finding : findings) text += in_words(*finding);
  const auto takes_more = [&](const Finding* finding) {
    return finding->verdict.kind == Kind::kAccept && finding->minimal.breaks != 0 &&
           finding->aten_reason.empty() && hello.implementations[finding->implementation].custom;
  };
  const auto is_handed_on = [](const Finding* finding) {
    return finding->minimal.breaks != 0 && !finding->aten_reason.empty();
  };
  if (std::ranges::any_of(findings, is_handed_on)) {
    text +=
        "Illegal calls that a kernel forwards to ATen fail as in ATen itself; --legal-only makes "
        "no illegal calls.\n";
  }
  if (std::ranges::any_of(findings, takes_more)) {
    text +=
        "PyTorch refuses calls that a kernel accepted here. If it accepts more than PyTorch on "
        "purpose, use --legal-only.\n";
  }
  return text;
}

/// Findings with the same reason stand together.
std::string known_findings(const std::vector<const Finding*>& findings) {
  if (findings.empty()) return "";
  std::string text = fmt::format("\n{} that were known\n", plural(findings.size(), "finding"));
  std::map<std::string_view, std::vector<const Finding*>> by_reason;
  for (const Finding* finding : findings) by_reason[finding->reason].push_back(finding);
  for (const auto& [reason, alike] : by_reason) {
    text += fmt::format("{}\n", reason);
    for (const Finding* finding : alike) text += in_words(*finding);
  }
  return text;
}

}  // namespace

std::string closing_text(const CampaignStatus& status, const std::filesystem::path& folder,
                         const std::vector<std::string>& names, std::uint64_t seed, bool strict) {
  const double rate = cases_per_second(status.totals.cases, status.seconds);
  std::string text = fmt::format(
      "\n{} cases in {:.1f} s ({}/s), seed {}, torch {}\n", grouped(status.totals.cases),
      status.seconds, grouped(static_cast<std::uint64_t>(rate)), seed, status.hello->torch);
  if (status.coverage_cases > 0) {
    text += fmt::format(
        "{} drawn by the property engine, {} chosen by the coverage engine, of which {} reached "
        "something new\n",
        grouped(status.property_cases), grouped(status.coverage_cases), grouped(status.corpus));
  }
  text += mix_line(status.totals.mix);
  text += pairs_table(status, names, strict);
  text += skipped_line(sum(status.totals));
  std::vector<const Finding*> all = status.findings;
  const auto known = std::ranges::stable_partition(all, std::not_fn(&Finding::known));
  text += new_findings({all.begin(), known.begin()}, *status.hello);
  text += known_findings({known.begin(), known.end()});
  if (const PairTotals sums = sum(status.totals); sums.steered > 0) {
    text += fmt::format("\nNot run, because too similar to earlier findings: {} ({:.1f} %).\n",
                        plural(sums.steered, "case"), 100 * steered_share(sums));
  }
  if (status.native != nullptr) text += fmt::format("\n{}\n", in_one_line(add_up(*status.native)));
  if (status.unconfirmed > 0) {
    text += fmt::format("\n{} never failed again; see log.jsonl.\n",
                        plural(status.unconfirmed, "failing case"));
  }
  if (const auto why = why_inconclusive(left_open(status)); !why.empty())
    text += fmt::format("\nThe campaign is inconclusive:\n  {}\n", fmt::join(why, "\n  "));
  if (status.cut_off > 0) {
    text += fmt::format(
        "\n{} not examined to the end; log.jsonl has the case{}, as \"cut off\".\n",
        status.cut_off == 1 ? "One failure was" : grouped(status.cut_off) + " failures were",
        status.cut_off == 1 ? "" : "s");
  }
  return text + fmt::format("\nEverything is kept in {}.\n", folder.string());
}

}  // namespace indexfuzz
