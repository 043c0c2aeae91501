#include "campaign/campaign_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

constexpr double kRedFrom = 10.0;  // seconds; from there on a pair without a verdict is red

/// Whether a verdict stands. Failures are verdicts only if one of them became a finding that was
/// not withdrawn (`has_findings`). The ledger's stands for cases that were all steered: too
/// few for one to run.
bool has_verdict(const PairTotals& counts, bool has_findings) {
  if (counts.judged() == 0) return counts.steered > 0;
  return has_findings || counts.judged() > counts.findings;
}

}  // namespace

std::vector<std::string> unverified(const CampaignStatus& status, const WorkerCommand& asked,
                                    bool interrupted) {
  const auto& implementations = status.hello->implementations;
  // `op`: the place of one operator; none: any operator.
  const auto has_findings = [&](std::size_t implementation, std::optional<std::size_t> op) {
    return std::ranges::any_of(status.findings, [&](const Finding* finding) {
      return finding->implementation == implementation && !withdrawn(*finding) &&
             (!op || place_of(finding->minimal.op) == static_cast<int>(*op));
    });
  };
  const auto is_verified = [&](std::size_t i) {
    return has_verdict(sum(status.totals.implementations[i]), has_findings(i, std::nullopt));
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    if (!is_verified(i) && !implementations[i].comes_along)
      names.push_back(implementations[i].name);
  }
  // The author may have registered a kernel for any device and meant it for GPUs.
  for (std::string& name : names) {
    for (std::size_t i = 0; i < implementations.size(); ++i) {
      if (implementations[i].name.starts_with(name + "@") && is_verified(i))
        name += fmt::format(" (--impl {} tests its GPU side alone)", implementations[i].name);
    }
  }
  if (status.seconds < kRedFrom) {
    const bool some = asked.implementations.empty() && status.totals.cases > 0;
    return some || interrupted ? std::vector<std::string>() : names;
  }
  for (const TestedPair& pair : existing_pairs(*status.hello, asked.operators)) {
    if (has_verdict(status.totals.implementations[pair.implementation][pair.op],
                    has_findings(pair.implementation, pair.op)))
      continue;
    if (!is_verified(pair.implementation)) continue;  // named as a whole
    names.push_back(fmt::format("{} of {}", operators()[pair.op]->name,
                                implementations[pair.implementation].name));
  }
  return names;
}

CampaignEnd end_of(const CampaignStatus& status, const CampaignOptions& options, bool interrupted,
                   const Broken& broken) {
  CampaignEnd end;
  end.error = broken.error;
  if (broken.reason) end.reasons.push_back(*broken.reason);
  if (broken.reason != Reason::kStorage && !broken.trouble.empty()) {
    end.reasons.push_back(Reason::kStorage);
    end.error += (end.error.empty() ? "" : " ") + broken.trouble;
  }
  if (std::ranges::any_of(status.findings, [](const Finding* finding) { return is_new(*finding); }))
    end.reasons.push_back(Reason::kNew);
  end.unverified = unverified(status, options.worker, interrupted);
  const bool open =
      status.untracked > 0 || status.elusive > 0 || status.unlocated > 0 || status.unexamined > 0;
  if (!end.unverified.empty() || open) end.reasons.push_back(Reason::kInconclusive);
  if (interrupted) end.reasons.push_back(Reason::kInterrupted);
  end.exit_code = exit_code(end.reasons, options.findings_code);
  return end;
}

}  // namespace indexfuzz
