#pragma once
// What a campaign counts besides the results of calls.

#include <cstdint>

namespace indexfuzz {

struct CampaignCounts {
  std::uint64_t unconfirmed = 0;    ///< failures that never showed again
  std::uint64_t elusive = 0;        ///< shrink keys with three or more of them
  std::uint64_t untracked = 0;      ///< failures let go when no more could be told apart
  std::uint64_t unlocated = 0;      ///< batches that broke a GPU, though no single case did
  std::uint64_t unexamined = 0;     ///< failures let go when the time to examine them was up
  std::uint64_t cut_off = 0;        ///< other failures whose examination did not end
  std::uint64_t worker_deaths = 0;  ///< of the children that draw and judge
  std::uint64_t fatal_cases = 0;    ///< run apart on GPUs, since they may end their process
};

/// A count and its key in summary.json.
struct KeyedCount {
  const char* key;
  std::uint64_t CampaignCounts::*count;
};
/// All of them, in the order of summary.json.
inline constexpr KeyedCount kKeyedCounts[] = {{"unconfirmed", &CampaignCounts::unconfirmed},
                                              {"elusive", &CampaignCounts::elusive},
                                              {"untracked", &CampaignCounts::untracked},
                                              {"unlocated", &CampaignCounts::unlocated},
                                              {"unexamined", &CampaignCounts::unexamined},
                                              {"cut_off", &CampaignCounts::cut_off},
                                              {"worker_deaths", &CampaignCounts::worker_deaths},
                                              {"fatal_cases", &CampaignCounts::fatal_cases}};

}  // namespace indexfuzz
