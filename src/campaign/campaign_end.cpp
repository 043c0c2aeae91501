#include "campaign/campaign_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr double kRedFrom = 10.0;  // seconds from which on a pair without a verdict is red

/// Whether a verdict stands: a failure that never showed again is none, nor is one whose finding
/// was withdrawn.
bool has_verdict(const PairTotals& counts, bool has_findings) {
  return counts.judged() > (has_findings ? 0 : counts.findings);
}

}  // namespace

std::vector<std::string> unverified(const CampaignStatus& status, const WorkerCommand& asked,
                                    bool interrupted) {
  const auto& implementations = status.hello->implementations;
  const auto has_findings = [&](std::size_t implementation) {
    return std::ranges::any_of(status.findings, [&](const Finding* finding) {
      return finding->implementation == implementation && !withdrawn(*finding);
    });
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    if (!has_verdict(sum(status.totals.implementations[i]), has_findings(i)))
      names.push_back(implementations[i].name);
  }
  if (status.seconds < kRedFrom) {
    const bool some = asked.implementations.empty() && status.totals.cases > 0;
    return some || interrupted ? std::vector<std::string>() : names;
  }
  for (const Pair& pair : existing_pairs(*status.hello, asked.operators)) {
    if (has_verdict(status.totals.implementations[pair.implementation][pair.op],
                    has_findings(pair.implementation)))
      continue;
    const std::string& implementation = implementations[pair.implementation].name;
    if (std::ranges::find(names, implementation) != names.end()) continue;
    names.push_back(fmt::format("{} of {}", operators()[pair.op]->name, implementation));
  }
  return names;
}

}  // namespace indexfuzz
