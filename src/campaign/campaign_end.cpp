#include "campaign/campaign_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr double kRedFrom = 10.0;  // seconds from which on a pair without a verdict is red

}  // namespace

std::vector<std::string> unverified(const CampaignStatus& status, const WorkerCommand& asked,
                                    bool interrupted) {
  const auto& implementations = status.hello->implementations;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    if (sum(status.totals.implementations[i]).judged() == 0)
      names.push_back(implementations[i].name);
  }
  if (status.seconds < kRedFrom) {
    const bool some = asked.implementations.empty() && status.totals.cases > 0;
    return some || interrupted ? std::vector<std::string>() : names;
  }
  for (const Pair& pair : existing_pairs(*status.hello, asked.operators)) {
    if (status.totals.implementations[pair.implementation][pair.op].judged() != 0) continue;
    const std::string& implementation = implementations[pair.implementation].name;
    if (std::ranges::find(names, implementation) != names.end()) continue;
    names.push_back(fmt::format("{} of {}", operators()[pair.op]->name, implementation));
  }
  return names;
}

}  // namespace indexfuzz
