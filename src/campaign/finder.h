#pragma once
// From suspects to stored findings, one at a time.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/examine.h"
#include "campaign/store.h"
#include "campaign/workers.h"

namespace indexfuzz {

/// Holds the findings of a campaign, in order of arrival.
class Finder {
 public:
  /// The runner uses slots of the zygote that the workers do not.
  Finder(ZygoteClient& zygote, Runner& runner, const CampaignOptions& options);

  /// Re-runs, shrinks and names a suspect, and adds it to the known failures. Returns the finding
  /// where it is a new one; it is not stored yet.
  Finding* examine(const Suspect& suspect, double seconds, Store& store);
  /// Whether enough findings are there that the ledger does not know.
  bool enough() const;

  std::deque<Finding>& findings() { return findings_; }
  const std::deque<Finding>& findings() const { return findings_; }
  std::uint64_t unconfirmed() const { return unconfirmed_; }
  std::uint64_t duplicates() const { return duplicates_; }

 private:
  bool is_known(const Suspect& suspect) const;
  void add_known(std::uint64_t key, const TraitSet& traits);
  Confirmation confirm_suspect(Suspect& suspect, ExamineOptions& options);
  Confirmation confirm_behind_others(const Suspect& suspect, const Confirmation& alone,
                                     FreshProcess* fresh, ExamineOptions& options);
  void note_unconfirmed(const Suspect& suspect, std::uint64_t key, int runs, Store& store);
  Finding describe_failure(const Suspect& suspect, const Confirmation& confirmation,
                           ExamineOptions options, double seconds);
  std::string name_of(std::uint32_t implementation) const;

  ZygoteClient& zygote_;
  Runner& runner_;
  const CampaignOptions& options_;
  std::deque<Finding> findings_;
  std::uint64_t unconfirmed_ = 0;
  std::map<std::uint64_t, std::uint64_t> unconfirmed_keys_;  ///< by key: how many of them
  std::uint64_t duplicates_ = 0;
  std::map<std::uint64_t, int> repeats_;  ///< by key: duplicates that were seen only when shrunk
};

}  // namespace indexfuzz
