#pragma once
// How a campaign ended: what it has shown, and what it was asked for and has not.

#include <string>
#include <vector>

#include "campaign/campaign.h"

namespace indexfuzz {

/// Implementations, or operators of them, of which nothing was verified though they exist: in a
/// campaign of ten seconds or more, or where they were named. `interrupted`: somebody ended it.
std::vector<std::string> unverified(const CampaignStatus& status, const WorkerCommand& asked,
                                    bool interrupted);

}  // namespace indexfuzz
