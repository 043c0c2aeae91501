#pragma once
// A campaign: workers draw and judge, failures become findings, findings are stored and checked.

#include <string>
#include <vector>

#include "campaign/campaign_options.h"
#include "campaign/exit_code.h"
#include "campaign/listener.h"

namespace indexfuzz {

/// How a campaign ended. Filled by run_campaign(), whose errors are reasons too once it has begun.
struct CampaignEnd {
  int exit_code = 0;                    ///< of the reasons, with options.findings_code
  std::vector<Reason> reasons;          ///< none: all that was asked for is verified
  std::string error;                    ///< one sentence if something broke, else empty
  std::vector<std::string> unverified;  ///< what made it inconclusive
};

/// The most workers of a campaign, which keeps some slots of its zygote for re-runs and GPUs.
int most_jobs();

/// Runs until the options' time, number of cases or number of findings is reached, or a stop signal
/// arrives. With the property engine, `jobs_named`, one job and a number of cases, the same seed
/// gives the same findings. Throws SetupError if the campaign cannot begin.
CampaignEnd run_campaign(const CampaignOptions& options, CampaignListener& listener);

}  // namespace indexfuzz
