#pragma once

#include "campaign/campaign.h"
#include "campaign/workers.h"

namespace indexfuzz {

/// What the workers of a campaign are to do. Throws SetupError where there is nothing for them, or
/// no engine.
WorkPlan work_plan(const CampaignOptions& options, const Hello& hello,
                   const CoverageCorpus& corpus);

}  // namespace indexfuzz
