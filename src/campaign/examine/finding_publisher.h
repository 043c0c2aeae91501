#pragma once
// Stores and announces findings, and has their stand-alone programs run beside the campaign.

#include <cstddef>

#include "campaign/campaign_options.h"
#include "campaign/examine/finder.h"
#include "campaign/listener.h"
#include "campaign/programs/verify.h"
#include "campaign/store/store.h"

namespace indexfuzz {

/// Stores findings, runs their programs, and tells the listener of both.
class FindingPublisher {
 public:
  /// All are borrowed.
  FindingPublisher(Store& store, Finder& finder, const CampaignOptions& options, const Hello& hello,
                   CampaignListener& listener)
      : store_(store),
        finder_(finder),
        options_(options),
        hello_(hello),
        listener_(listener),
        verifier_(options.python, hello.torch) {}

  /// Stores and announces a finding; unless the ledger knows it, its programs are run later. Throws
  /// StorageError.
  void save(const Finding& finding);
  /// Takes in what the programs of one finding have shown, if they have ended; never waits.
  void take_checked();

  /// Lets the programs of as many findings run at a time as there are processors for: all of them,
  /// or a part beside the workers.
  void share_processors(bool with_workers);

  /// Findings whose programs are still to be run.
  std::size_t unchecked() const { return unchecked_; }
  bool all_checked() const { return verifier_.idle(); }

 private:
  Store& store_;
  Finder& finder_;
  const CampaignOptions& options_;
  const Hello& hello_;
  CampaignListener& listener_;
  Verifier verifier_;
  std::size_t unchecked_ = 0;
};

}  // namespace indexfuzz
