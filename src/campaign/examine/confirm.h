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

/// How many children re-run a failing case at the same time.
inline constexpr int kForks = 9;

/// How one failure is examined. Filled from the suspect and the campaign's options, or from a case
/// file and the command line.
struct ExamineOptions {
  std::uint32_t implementation = 0;  ///< index into the hello's
  Kind kind = Kind::kValue;          ///< what was seen; it decides how a run looks for it
  bool strict = false;  ///< a custom kernel's refusals count, whatever the campaign says
  /// Cases to run in each process before the examined one, which does not fail without them.
  std::vector<Case> before;
  Limits limits;                             ///< that smaller cases must keep
  std::chrono::milliseconds timeout{10000};  ///< of one call
  /// For shrinking one failure and the cases before it; each smaller case of a hang takes a second.
  std::chrono::seconds shrink_limit{120};
};

/// The options with the shorter time limit that a hang's re-runs have until it is minimal;
/// unchanged for another failure.
ExamineOptions impatient(ExamineOptions options, bool on_gpu);

/// How often a case failed in fresh runs, and how.
struct Confirmation {
  int failed = 0;
  int runs = 0;
  Verdict verdict;        ///< of the first run that failed; meaningless without one
  std::uint64_t key = 0;  ///< the shrink key of that verdict; 0: made for each case by key_in()
  /// In every process that repeated the case, this many runs were right and the next one failed; 0:
  /// no such number.
  int right_before = 0;
  /// In every process that repeated the case, it failed within this many runs; 0: no such number.
  std::uint32_t fails_within = 0;
  /// The most runs of a candidate: they take no longer than a few hundred runs of a slow kernel.
  std::uint32_t most_repeats = 300;
};

/// Runs the case in kForks children and, if `fresh` is not null, a tenth time in it. Counts the
/// failures with `key` or, if there are none, those with the key of the first other failure.
Confirmation confirm_with_few(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                              const ExamineOptions& options);
/// As confirm_with_few(); if none fails and nothing is to run before the case, adds 1,000 quick
/// runs in several processes at once.
Confirmation confirm(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                     const ExamineOptions& options);

/// As confirm(), after `options.before`. If the case also fails after only the last of these, the
/// others are removed.
Confirmation confirm_behind(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                            ExamineOptions& options);

/// For a case that failed in no run of a confirmation: after how many right runs in one process it
/// fails; 0 if it does not within kMaxLead runs, the most that can be replayed.
int right_runs_before_failure(Runner& runner, const Case& c, std::uint64_t key,
                              const ExamineOptions& options);

/// For a case that failed in no run of `confirmation`: adds ever more runs, as many as fit into a
/// few seconds, in several processes at once. Even one failing call in ten thousand is found.
Confirmation confirm_patiently(Runner& runner, const Case& c, std::uint64_t key,
                               Confirmation confirmation, const ExamineOptions& options);

/// How often a candidate must run to be taken for passing, given the confirmed rate of failures; at
/// most `most_repeats`.
std::uint32_t repeats_for(const Confirmation& confirmation);
/// As repeats_for(), for a single case, whose runs may take seconds.
std::uint32_t patient_repeats(const Confirmation& confirmation);
/// Whether repeats_for() is too few for so rare a failure: a case that passes proves nothing.
bool fails_too_rarely(const Confirmation& confirmation);

/// How each run of a confirmed failure is made.
RunOptions run_options(const ExamineOptions& options, const Confirmation& confirmation);
/// As run_options(), for a smaller case or one after fewer others: a hang is given less time.
RunOptions candidate_options(const ExamineOptions& options, const Confirmation& confirmation);

/// The shrink key of the confirmed failure on this case: confirmation.key if there is one, since
/// the verdict names an operand by a number that may stand for another one in a smaller case.
std::uint64_t key_in(const Confirmation& confirmation, const Case& c,
                     const ImplementationInfo& implementation);

}  // namespace indexfuzz
