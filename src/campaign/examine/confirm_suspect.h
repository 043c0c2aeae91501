#pragma once
// Makes a suspect fail again: on spares, in children, after the cases before it, in a fresh
// process.

#include <cstdint>
#include <optional>
#include <vector>

#include "campaign/campaign_options.h"
#include "campaign/examine/confirm.h"
#include "campaign/examine/finding.h"
#include "campaign/examine/fresh_process.h"
#include "campaign/examine/met_failures.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// The suspect's shrink key.
std::uint64_t key_of(const Hello& hello, const Suspect& suspect);

/// How a suspect failed again.
struct Confirmed {
  Confirmation how;
  Runner* runner;  ///< the one on which it fails so
};

class SuspectConfirmer {
 public:
  /// All are borrowed; `spares` is the runner for GPUs, null without one.
  SuspectConfirmer(ZygoteClient& zygote, Runner& runner, Runner* spares,
                   const CampaignOptions& options, const MetFailures& met);

  /// Starts the fresh processes that a confirmation will need, so that it need not wait for them.
  void get_ready() { fresh_.refill(); }

  ExamineOptions options_for(const Suspect& suspect) const;
  /// The implementations that the suspect may have failed on: several only if its process died
  /// between two calls.
  std::vector<std::uint32_t> possible_implementations(const Suspect& suspect) const;
  /// Whether the implementation runs on a GPU, and therefore in spare processes.
  bool on_spares(std::uint32_t implementation) const;

  /// Re-runs the suspect on spares. None unless it fails every time: spares have run other cases
  /// before. Sets the suspect's implementation. Gives its case the plain environment if it fails in
  /// that, too, and a busy stream if it fails only on one.
  std::optional<Confirmed> confirm_on_spares(Suspect& suspect, ExamineOptions& options);
  /// Re-runs the suspect in children and a fresh process, many times if need be, and after the
  /// cases before it. `how.failed` is 0 if it never failed; `options.before` holds the cases that
  /// it needs before it.
  Confirmed confirm_in_children(Suspect& suspect, ExamineOptions& options);
  /// For a legal case that a custom kernel has stopped taking: confirms that a fresh process takes
  /// it, but refuses it after the cases before it. None if not.
  std::optional<Confirmed> confirm_stopped_taking(const Suspect& suspect, ExamineOptions& options);

  /// Whether the case fails in a process that has run nothing before.
  bool fails_alone(const Case& c, const ExamineOptions& options);
  /// Whether the minimal case also fails in a fresh process, within the whole time limit. If so,
  /// counts the run in the finding, whose verdict becomes that of this run.
  bool fails_afresh(Finding& finding, const ExamineOptions& options);
  /// The suspect without the rule that its case breaks, if the legal case fails in the same way:
  /// the rule then plays no part. None for a hang, which would take its time limit once more.
  std::optional<Suspect> without_rule(const Suspect& suspect);

 private:
  /// Gives the suspect's case the plain environment if it fails in that as well. On a GPU, the
  /// CPU's environment hardly ever matters, but a process has only one.
  void prefer_plain_environment(Suspect& suspect, std::uint64_t key, const ExamineOptions& options);
  Confirmation confirm_after_its_predecessors(const Suspect& suspect, const Confirmation& alone,
                                              FreshProcess* fresh, ExamineOptions& options);

  ZygoteClient& zygote_;
  Runner& runner_;
  Runner* spares_;
  const CampaignOptions& options_;
  const MetFailures& met_;
  FreshProcesses fresh_;
};

}  // namespace indexfuzz
