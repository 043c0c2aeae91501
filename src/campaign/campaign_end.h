#pragma once
// How a campaign ends, and what it was asked to verify and has not verified.

#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.h"

namespace indexfuzz {

/// What was asked for and not verified: implementations of which nothing was verified and, after
/// ten seconds or more, pairs of an implementation and an operator of which nothing was. In a
/// shorter campaign, implementations count only if some were named or nothing at all was judged,
/// and not if the user `interrupted` it.
std::vector<std::string> unverified(const CampaignStatus& status, const WorkerCommand& asked,
                                    bool interrupted);

/// What broke a campaign off.
struct Broken {
  std::optional<Reason> reason;  ///< none: nothing did
  std::string error;             ///< one sentence if there is a reason
  std::string trouble;           ///< Store::trouble()
};

/// The end of a campaign that stands like this. `interrupted`: by a stop signal.
CampaignEnd end_of(const CampaignStatus& status, const CampaignOptions& options, bool interrupted,
                   const Broken& broken);

}  // namespace indexfuzz
