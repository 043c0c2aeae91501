#pragma once
// The last screen of a campaign as text for people.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "campaign/listener.h"

namespace indexfuzz {

/// What was verified, what was found, where it is kept (`folder`). `names`: the operators asked
/// for, none for all. `strict`: whether a custom kernel that refused a legal case was a finding.
std::string closing_text(const CampaignStatus& status, const std::filesystem::path& folder,
                         const std::vector<std::string>& names, std::uint64_t seed, bool strict);

}  // namespace indexfuzz
