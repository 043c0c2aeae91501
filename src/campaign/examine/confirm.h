#pragma once
// Re-runs of a failing case: whether it fails again, how often, and how each run is made.

#include <chrono>
#include <cstdint>
#include <vector>

#include "campaign/examine/fresh_process.h"
#include "campaign/hello.h"
#include "campaign/workers/runner.h"
#include "case/limits.h"

namespace indexfuzz {

/// How many children re-run a failing case at the same time.
inline constexpr int kForks = 9;

/// How one failure is examined. Filled from the suspect and the campaign's options, or from a case
/// file and the command line.
struct ExamineOptions {
  std::uint32_t implementation = 0;  ///< index into the hello's
  Kind kind = Kind::kValue;          ///< of the failure; it decides what a run looks for
  bool strict =
      false;  ///< a custom kernel's refusals are findings, even if the campaign is not strict
  /// Cases that each process runs before the examined one, which fails only after them. Mostly
  /// none.
  std::vector<Case> before;
  Limits limits;                             ///< that smaller cases must keep
  std::chrono::milliseconds timeout{10000};  ///< of one call
  /// The time for shrinking the case and those before it; each smaller case that hangs takes a
  /// second.
  std::chrono::seconds shrink_limit{120};
};

/// The options with a shorter time limit, for re-runs of a hang before it is minimal: a fifth of
/// `timeout` or, on a GPU, at most 2 s. Unchanged for any other failure.
ExamineOptions impatient(ExamineOptions options, bool on_gpu);

/// How often a case failed in re-runs, and how.
struct Confirmation {
  int failed = 0;
  int runs = 0;
  Verdict verdict;        ///< of the first run that failed; meaningless without one
  std::uint64_t key = 0;  ///< the shrink key that was looked for; 0: see key_in()
  /// The number of right runs before the first failure, if it is the same in all processes that
  /// repeated the case; else 0.
  int right_before = 0;
  /// A number of runs within which the case failed in every process that repeated it; 0: none is
  /// known.
  std::uint32_t fails_within = 0;
  /// The most runs of a candidate, so that they take no longer than a few hundred runs of a slow
  /// kernel.
  std::uint32_t most_repeats = 300;
};

/// Runs the case once in each of kForks children and, if `fresh` is not null, in that fresh
/// process. Counts the failures with the shrink key `key` or, if there are none, those with the key
/// of the first other failure.
Confirmation confirm_with_few(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                              const ExamineOptions& options);
/// As confirm_with_few(). If the case did not fail and `options.before` is empty, adds 250 runs in
/// each of four processes.
Confirmation confirm(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                     const ExamineOptions& options);

/// As confirm(), for a case with other cases before it (`options.before`). If these are more than
/// 1,024, runs it after only the last 1,024 first, without `fresh`. If it fails after them, or the
/// runner was interrupted, drops the others from `options.before` and returns that confirmation.
Confirmation confirm_after_predecessors(Runner& runner, FreshProcess* fresh, const Case& c,
                                        std::uint64_t key, ExamineOptions& options);

/// For a case that failed in no run of a confirmation: how many right runs the same process makes
/// before the case fails, by bisection. 0 if it does not fail within kMaxLead runs, the most that
/// can be replayed.
int right_runs_before_failure(Runner& runner, const Case& c, std::uint64_t key,
                              const ExamineOptions& options);

/// For a case that failed in no run of `confirmation`: adds runs in several processes at once,
/// twice as many each time, from 1,024 to 32,768 in each process or until some seconds have passed.
/// Finds even one failing call in ten thousand.
Confirmation confirm_patiently(Runner& runner, const Case& c, std::uint64_t key,
                               Confirmation confirmation, const ExamineOptions& options);

/// How many runs without a failure show that a candidate passes, given the confirmed rate of
/// failures; at most `most_repeats`.
std::uint32_t repeats_for(const Confirmation& confirmation);
/// As repeats_for(), for a single case, whose runs may take seconds: `most_repeats` does not count.
std::uint32_t patient_repeats(const Confirmation& confirmation);
/// Whether `most_repeats` leaves too few runs for so rare a failure, so that a candidate without a
/// failure proves nothing.
bool fails_too_rarely(const Confirmation& confirmation);

/// How each run of a confirmed failure is made.
RunOptions run_options(const ExamineOptions& options, const Confirmation& confirmation);
/// As run_options(), for a candidate, a smaller case or one after fewer others: a hang gets a tenth
/// of the time limit.
RunOptions candidate_options(const ExamineOptions& options, const Confirmation& confirmation);

/// The shrink key that the confirmed failure has on this case: confirmation.key or, if that is 0,
/// the key of the case with confirmation.verdict. The former is preferred, since the verdict names
/// an operand by its number, which may be another operand in a smaller case.
std::uint64_t key_in(const Confirmation& confirmation, const Case& c,
                     const ImplementationInfo& implementation);

}  // namespace indexfuzz
