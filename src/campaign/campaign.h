#pragma once
// A campaign: workers draw and judge, failures become findings, findings are stored and checked.

#include <string>
#include <vector>

#include "campaign/campaign_options.h"
#include "campaign/listener.h"
#include "campaign/outcome.h"

namespace indexfuzz {

struct CampaignEnd {
  int exit_code = 0;
  std::vector<Reason> reasons;
  std::string error;                    ///< one sentence if something broke, else empty
  std::vector<std::string> unverified;  ///< what made it inconclusive
};

/// Runs until the options' time, number of cases or number of findings is reached, or a stop signal
/// arrives. With the property engine, `jobs_named`, one job and a number of cases, the same seed
/// gives the same findings. Throws SetupError if the campaign cannot begin.
CampaignEnd run_campaign(const CampaignOptions& options, CampaignListener& listener);

}  // namespace indexfuzz
