#pragma once
// Turns suspects into findings, one at a time.

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign_options.h"
#include "campaign/examine/confirm_suspect.h"
#include "campaign/examine/ledger_failures.h"
#include "campaign/examine/met_failures.h"
#include "campaign/examine/minimize.h"
#include "campaign/store/store.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Holds the findings of a campaign, in order of arrival.
class Finder {
 public:
  /// The runners use slots of the zygote that the workers do not use; `spares` is the runner for
  /// GPUs, null without one. With options.steering, cases like the failures that the ledger lists
  /// are steered.
  Finder(ZygoteClient& zygote, Runner& runner, Runner* spares, const CampaignOptions& options);

  /// Starts the processes that an examination will need, so that it need not wait for them.
  void get_ready() { confirmer_.get_ready(); }
  /// Returns false for a suspect that is silenced, or if no more failures can be told apart. Any
  /// other suspect must be examined or abandoned. Until then no worker reports failures with its
  /// key and all its traits. While several suspects of one key wait, no worker reports failures
  /// with that key at all: what these are depends on the result for the first.
  bool note(Suspect& suspect);
  /// For a suspect that was noted and will not be examined: similar failures may be reported again.
  void abandon(const Suspect& suspect);
  /// Re-runs, shrinks and names a suspect that was noted, and silences failures like it. One that
  /// the ledger lists is only recognized. An illegal case that fails in the same way without its
  /// rule is examined as the legal case. Returns the finding, not stored yet; null if this campaign
  /// has met it before.
  Finding* examine(const Suspect& suspect, Store& store);
  /// For a finding that its programs have withdrawn: failures like it are reported again, except
  /// those with all traits of its minimal case.
  void withdraw(Finding& finding);
  /// Whether options.max_findings is reached. Not counted are findings that the ledger knows, that
  /// their programs have withdrawn, or in which ATen fails in the same way.
  bool enough() const;

  std::deque<Finding>& findings() { return findings_; }
  const std::deque<Finding>& findings() const { return findings_; }
  const MetFailures& met() const { return met_; }
  /// Failures whose examination ended before it was done: they were waiting or under examination.
  std::uint64_t cut_off() const { return cut_off_; }

 private:
  void run_listed(LedgerFailure& first, bool with_others);
  bool fails_as_listed(LedgerFailure& listed);
  Finding* recognize(const Suspect& suspect, const Case& c, std::uint64_t key);
  std::optional<Finding> confirm_and_describe(Suspect& suspect, int& runs);
  bool needs_no_more_runs(Finding& finding, const ExamineOptions& options);
  void compare_with_aten(Finding& finding, RunOptions options);
  bool is_duplicate(const Finding& finding) const;
  const Finding* find_like(std::uint64_t key, const Case& c) const;
  Finding* examine_itself(const Suspect& noticed, Store& store);
  bool may_be_known(const Finding& finding, std::uint64_t key) const;
  void note_unconfirmed(const Suspect& suspect, int runs, Store& store);
  void note_cut_off(const Suspect& suspect, int runs, Store& store);
  Finding finding_of(const Suspect& suspect) const;
  Finding describe_failure(const Suspect& suspect, const Confirmed& confirmed,
                           ExamineOptions options);

  ZygoteClient& zygote_;
  Runner& runner_;
  Runner* spares_;
  const CampaignOptions& options_;
  MetFailures met_;
  SuspectConfirmer confirmer_;
  std::vector<LedgerFailure> ledger_;
  std::deque<Finding> findings_;
  std::uint64_t cut_off_ = 0;
};

}  // namespace indexfuzz
