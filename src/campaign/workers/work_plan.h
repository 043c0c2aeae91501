#pragma once

#include "campaign/campaign_options.h"
#include "campaign/hello.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// How many workers call implementations on GPUs: --jobs if the user gave it, else as many as help.
int gpu_jobs(const CampaignOptions& options, const Hello& hello);

/// How many threads of each such worker call PyTorch's operators on GPUs at once, beside
/// `host_jobs` workers that call nothing there.
int gpu_lanes(int gpu_jobs, int host_jobs);

/// What the workers of a campaign are to do. Throws SetupError if there is nothing for them to do,
/// or no engine to do it with.
WorkPlan work_plan(const CampaignOptions& options, const Hello& hello,
                   const CoverageCorpus& corpus);

}  // namespace indexfuzz
