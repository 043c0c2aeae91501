#pragma once
// What a summary says as a whole, as text for people.

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/listener.h"
#include "campaign/store/summary_file.h"

namespace indexfuzz {

/// "4,200,000 cases in 61 s (68,600/s), seed 7, torch 2.11.0"; then what became of the others.
/// Printable, without full stops.
std::vector<std::string> totals_in_words(const Summary& summary);

/// "nothing was verified for `names`.", with no more of them than fit on a screen.
std::string nothing_verified(std::vector<std::string> names);

/// What makes a campaign inconclusive. Counts as in CampaignStatus.
struct LeftOpen {
  std::vector<std::string> unverified;  ///< implementations and operators of them, printable
  std::uint64_t elusive = 0, untracked = 0, unlocated = 0, unexamined = 0;
};
/// Without what is unverified, which a campaign knows only in the end.
LeftOpen left_open(const CampaignStatus& status);
/// What is missing or of another type counts as nothing.
LeftOpen left_open(const Summary& summary);

/// A sentence for each reason; none for a campaign that is conclusive.
std::vector<std::string> why_inconclusive(const LeftOpen& open);

}  // namespace indexfuzz
