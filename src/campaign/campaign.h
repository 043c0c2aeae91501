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
  std::string error;                    ///< one sentence where something broke
  std::vector<std::string> unverified;  ///< what made it inconclusive
};

/// Runs until its time, its cases or its findings are reached, or a signal came. With one job that
/// was named and a number of cases, the same seed gives the same findings. Throws SetupError where
/// it could not begin.
CampaignEnd run_campaign(const CampaignOptions& options, CampaignListener& listener);

}  // namespace indexfuzz
