#pragma once
// What a campaign tells a person when it first happens.

#include <cstdint>
#include <set>
#include <span>

#include "campaign/hello.h"
#include "campaign/listener.h"

namespace indexfuzz {

/// Tells the listener each of its sentences at most once a campaign.
class ToldOnce {
 public:
  /// Borrowed.
  explicit ToldOnce(CampaignListener& listener) : listener_(listener) {}

  /// The worker has been getting ready for `seconds`: told if that is long.
  void getting_ready(double seconds);
  /// The campaign begins: nothing is told of a worker that is started again.
  void begins() { told_to_wait_ = true; }
  /// `untracked`: as in CampaignStatus. Told if there are any: no further failure can be detected,
  /// though the campaign goes on.
  void untracked(std::uint64_t untracked);
  /// These implementations of the hello are let go in their first calls; each is told of once, also
  /// if the campaign goes on and ends again.
  void first_calls(const Hello& hello, std::span<const std::uint32_t> implementations);

 private:
  CampaignListener& listener_;
  bool told_to_wait_ = false;
  bool told_of_untracked_ = false;
  std::set<std::uint32_t> told_of_first_calls_;
};

}  // namespace indexfuzz
