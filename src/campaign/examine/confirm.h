#pragma once
// Whether a failing case fails again, how often, and how it is run for that.

#include <chrono>
#include <cstdint>
#include <vector>

#include "campaign/examine/fresh_process.h"
#include "campaign/hello.h"
#include "campaign/workers/runner.h"
#include "case/limits.h"

namespace indexfuzz {

struct ExamineOptions {
  std::uint32_t implementation = 0;
  Kind kind = Kind::kValue;  ///< what was seen: it decides how a run looks for it
  bool strict = false;       ///< a custom kernel's refusals count, whatever the campaign says
  /// Run in each process before the case: the failure shows only behind them.
  std::vector<Case> before;
  Limits limits;
  std::chrono::milliseconds timeout{10000};
  /// For shrinking one failure and what runs before it; a hang takes a second for each smaller
  /// case.
  std::chrono::seconds shrink_limit{120};
};

/// With the limit that the re-runs of a hang have until it is minimal; of another failure as it is.
ExamineOptions impatient(ExamineOptions options, bool on_gpu);

/// How often a case failed in fresh runs, and how.
struct Confirmation {
  int failed = 0;
  int runs = 0;
  Verdict verdict;        ///< of the runs that failed; meaningless without one
  std::uint64_t key = 0;  ///< the shrink key of that verdict; 0: that on the case it is asked for
  /// In every process that repeated the case, so many runs were right and the next one failed; 0:
  /// no such rule.
  int right_before = 0;
  /// In every process that repeated the case it failed within so many runs; 0: no such number.
  std::uint32_t fails_within = 0;
  /// So many runs of a candidate take no longer than a few hundred of a slow kernel.
  std::uint32_t most_repeats = 300;
};

/// Nine runs in children and, where `fresh` is given, a tenth in it. Failures with `key` count; if
/// none has it but others fail, the first of those does.
Confirmation confirm_with_few(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                              const ExamineOptions& options);
/// The same; where none fails and nothing is to run before the case, 1,000 quick ones in several
/// processes at once.
Confirmation confirm(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                     const ExamineOptions& options);

/// The same behind `options.before`, of which the last ones may do: those are left where it fails.
Confirmation confirm_behind(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                            ExamineOptions& options);

/// After how many right runs in a process the case fails; 0 where it does not, in as many as may be
/// replayed. For what failed in none of the runs of a confirmation.
int right_runs_before_failure(Runner& runner, const Case& c, std::uint64_t key,
                              const ExamineOptions& options);

/// For what failed in none of the runs of `confirmation`, which it adds to: ever more runs, as many
/// as fit into a few seconds, in several processes at once. One call in ten thousand may fail.
Confirmation confirm_patiently(Runner& runner, const Case& c, std::uint64_t key,
                               Confirmation confirmation, const ExamineOptions& options);

/// How often a candidate must be run to be taken for passing, at the rate that was confirmed; less
/// where that is more than `most_repeats`.
std::uint32_t repeats_for(const Confirmation& confirmation);
/// The same for a single case, whose runs may take seconds.
std::uint32_t patient_repeats(const Confirmation& confirmation);
/// Whether repeats_for() misses it too often for what passes to tell anything.
bool fails_too_rarely(const Confirmation& confirmation);

/// How each run of a confirmed failure is made.
RunOptions run_options(const ExamineOptions& options, const Confirmation& confirmation);
/// The same for a smaller case, or one behind fewer others: a hang is given less time.
RunOptions candidate_options(const ExamineOptions& options, const Confirmation& confirmation);

/// A verdict names an operand by its number, which a smaller case may have given to another one:
/// the shrink key of the confirmed failure on this case.
std::uint64_t key_in(const Confirmation& confirmation, const Case& c,
                     const ImplementationInfo& implementation);

}  // namespace indexfuzz
