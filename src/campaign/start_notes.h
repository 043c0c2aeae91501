#pragma once
// What a person should know of a campaign before it begins.

#include <cstddef>
#include <string>
#include <vector>

#include "campaign/campaign_options.h"
#include "campaign/hello.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// One sentence each: what is not used or left out, and why. `earlier`: findings of other campaigns
/// in the same folder.
std::vector<std::string> start_notes(const Hello& hello, const WorkPlan& plan,
                                     const CampaignOptions& options, std::size_t earlier);

}  // namespace indexfuzz
