#pragma once
// Synchronous runs: "what does implementation k make of these cases?", each in a child that may
// die.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "campaign/zygote_client.h"
#include "case/limits.h"
#include "judge/verdict.h"
#include "shrink/shrink.h"

namespace indexfuzz {

struct RunOptions {
  /// Run in the same process before the cases that are judged, at most kMaxLead of them. Borrowed.
  std::span<const Case> before;
  std::uint32_t implementation = 0;  ///< index into the hello's
  std::uint32_t repeats = 1;         ///< of each case, until its first finding
  std::uint64_t stop_at_key = 0;     ///< end at the first verdict with this shrink key; 0: never
  std::chrono::milliseconds timeout{10000};  ///< for one case
  /// A custom implementation compiles what it must on a plain case, before the limit counts.
  bool warm_up = false;
  bool look_longer = true;  ///< a case that agrees is called again and again
};

/// Runs on the slots [first_slot, first_slot + slot_count) of a zygote; each call leaves them idle.
/// A campaign's own slots go on meanwhile. An interruption ends every call early, with fewer
/// verdicts.
class Runner {
 public:
  Runner(ZygoteClient& zygote, int first_slot, int slot_count, bool strict,
         Interrupted interrupted);

  /// The verdicts on the first cases, in order, in one process. Shorter than `cases` after a death,
  /// whose verdict is then the last one, after `stop_at_key`, and before a case of another
  /// environment than the first. Empty where one of `options.before` ended the process.
  std::vector<Verdict> run_in_one_process(std::span<const Case> cases, const RunOptions& options);
  /// The verdict on the last of the cases, which are run in order in one process; none where an
  /// earlier one ended it.
  std::optional<Verdict> run_sequence(std::span<const Case> cases, RunOptions options);
  /// The verdict on each case in a process of its own, several at a time; `implementations` is
  /// parallel to the cases, and none is used of the options.
  std::vector<Verdict> run_apart(std::span<const Case> cases,
                                 std::span<const std::uint32_t> implementations,
                                 const RunOptions& options);
  /// The verdicts of `copies` processes, each with this one case, several at a time.
  std::vector<Verdict> run_copies(const Case& c, int copies, const RunOptions& options);
  /// The same with so many runs of the case in a row in each process, at most kMaxRunCases.
  std::vector<std::vector<Verdict>> run_rows(const Case& c, int copies, int times,
                                             const RunOptions& options);

  /// For `shrink`: whether a candidate still fails with this key. The batches grow up to `batch`
  /// cases; with `options.before` each has a process of its own.
  FirstFailing first_failing(std::uint64_t key, const RunOptions& options, std::size_t batch = 256);

  const ImplementationInfo& implementation(std::uint32_t index) const {
    return zygote_.hello().implementations[index];
  }
  bool interrupted() const { return interrupted_ && interrupted_(); }

 private:
  struct Started;
  Started begin(int slot, std::span<const Case> cases, const RunOptions& options);
  bool finished(Started& started);
  void wait_for(std::vector<Started>& started);
  std::vector<Verdict> verdicts(const Started& started);

  ZygoteClient& zygote_;
  int first_slot_;
  int slot_count_;
  bool strict_;
  Interrupted interrupted_;
};

/// The shrink key of a verdict; 0 where it is no finding.
std::uint64_t key_of(const Case& c, const Verdict& verdict,
                     const ImplementationInfo& implementation);

}  // namespace indexfuzz
