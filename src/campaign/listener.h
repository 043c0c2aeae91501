#pragma once
// What a campaign tells its display.

#include <string>
#include <vector>

#include "campaign/counts/campaign_counts.h"
#include "campaign/counts/totals.h"
#include "campaign/examine/finding.h"

namespace indexfuzz {

/// The state of a campaign. The pointers lead to the campaign's own data.
struct CampaignStatus : CampaignCounts {
  double seconds = 0;   ///< until the last case was drawn
  double elapsed = 0;   ///< until now
  bool drawing = true;  ///< there will be more cases
  const Hello* hello = nullptr;
  Totals totals;
  std::vector<const Finding*> findings;  ///< in order of arrival
  std::uint64_t duplicates = 0;          ///< known failures that only the supervisor noticed
  std::uint64_t property_cases = 0;      ///< drawn by the property engine
  std::uint64_t coverage_cases = 0;      ///< chosen by the coverage engine
  std::uint64_t corpus = 0;              ///< of them, those that reached something new
  /// The failure under examination: "index_add (in-place) on mine::x: hang"; may be empty.
  std::string examined;
  std::size_t waiting = 0;  ///< failures that are to be examined after it
  /// "mine::x has not returned for 25 s", of a worker's call; mostly empty.
  std::string long_call;
  std::size_t checking = 0;                   ///< findings whose programs are still to be run
  const NativeCoverageMap* native = nullptr;  ///< null if it was not asked for
};

/// Is told what a campaign does, in its thread: what it shows a person is the listener's choice.
class CampaignListener {
 public:
  virtual ~CampaignListener() = default;
  /// Many times a second.
  virtual void update(const CampaignStatus& status) = 0;
  /// The finding is safely stored.
  virtual void saved(const Finding& finding) = 0;
  /// An earlier campaign has stored it in the same --out, where it stays.
  virtual void met_again(const Finding& finding) = 0;
  /// Its stand-alone programs have been run. `note`: what a program did that did not fail.
  virtual void checked(const Finding& finding, const std::string& note) = 0;
  /// The last word: nothing changes any more.
  virtual void ended(const CampaignStatus& status) = 0;
  /// One more sentence that a person should know.
  virtual void note(const std::string& sentence) = 0;
};

}  // namespace indexfuzz
