#pragma once
// What a campaign tells whoever shows it.

#include <string>
#include <vector>

#include "campaign/examine/finding.h"
#include "campaign/store/totals.h"

namespace indexfuzz {

/// How a campaign stands. Everything in it is the campaign's own.
struct CampaignStatus {
  double seconds = 0;   ///< until the last case was drawn
  double elapsed = 0;   ///< until now
  bool drawing = true;  ///< there will be more cases
  const Hello* hello = nullptr;
  Totals totals;
  std::vector<const Finding*> findings;  ///< in order of arrival
  std::uint64_t unconfirmed = 0;         ///< failures that never showed again
  std::uint64_t elusive = 0;             ///< of them, those met three times or more in one form
  std::uint64_t unlocated = 0;           ///< batches that broke a GPU, no case of them alone
  std::uint64_t unexamined = 0;          ///< failures that were let go long after the time was up
  std::uint64_t cut_off = 0;             ///< failures that nobody had looked at when all ended
  std::uint64_t duplicates = 0;          ///< that were noticed only here
  std::uint64_t deaths = 0;              ///< of workers
  std::uint64_t fatal_cases = 0;         ///< run apart on GPUs, since they may end a process
  std::uint64_t property_cases = 0;      ///< drawn by the property engine
  std::uint64_t coverage_cases = 0;      ///< chosen by the coverage engine
  std::uint64_t corpus = 0;              ///< of them, those that reached something new
  /// The failure that is looked into: "index_add (in-place) on mine::x: hang"; empty where none is.
  std::string examined;
  std::size_t checking = 0;                   ///< findings whose programs are still to be run
  const NativeCoverageMap* native = nullptr;  ///< null where it was not asked for
};

class CampaignListener {
 public:
  virtual ~CampaignListener() = default;
  /// Many times a second.
  virtual void update(const CampaignStatus& status) = 0;
  /// The finding is safely stored.
  virtual void saved(const Finding& finding) = 0;
  /// An earlier campaign has stored it in the same --out, where it stays.
  virtual void met_again(const Finding& finding) = 0;
  /// Its stand-alone programs have been run. `note`: what one did that did not fail.
  virtual void checked(const Finding& finding, const std::string& note) = 0;
  /// The last word: nothing changes any more.
  virtual void ended(const CampaignStatus& status) = 0;
  /// What a person should know besides: one sentence.
  virtual void note(const std::string& sentence) = 0;
};

}  // namespace indexfuzz
