#pragma once
// What a campaign was asked to verify and has not verified.

#include <string>
#include <vector>

#include "campaign/campaign.h"

namespace indexfuzz {

/// The implementations of which nothing was verified and, after ten seconds or more, the operators
/// that an implementation has and of which nothing was verified. In a shorter campaign,
/// implementations count only if some were named or nothing at all was judged, and not if the user
/// `interrupted` it.
std::vector<std::string> unverified(const CampaignStatus& status, const WorkerCommand& asked,
                                    bool interrupted);

}  // namespace indexfuzz
