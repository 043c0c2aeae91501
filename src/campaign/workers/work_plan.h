#pragma once

#include "campaign/campaign_options.h"
#include "campaign/hello.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// How many workers call what is on GPUs: as many as the user named, else as many as speed it up.
int gpu_jobs(const CampaignOptions& options, const Hello& hello);

/// How many threads of such a worker call PyTorch's operators on GPUs at once, where `host_jobs`
/// others call nothing there.
int gpu_lanes(int gpu_jobs, int host_jobs);

/// What the workers of a campaign are to do. Throws SetupError where there is nothing for them, or
/// no engine.
WorkPlan work_plan(const CampaignOptions& options, const Hello& hello,
                   const CoverageCorpus& corpus);

}  // namespace indexfuzz
