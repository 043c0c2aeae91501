#pragma once
// "What does implementation k make of these cases?", each answered by a child that may die.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "campaign/workers/death.h"
#include "campaign/workers/gpu_retry.h"
#include "campaign/workers/spares.h"
#include "campaign/workers/zygote_client.h"
#include "case/limits.h"
#include "judge/verdict.h"
#include "shrink/shrink.h"

namespace indexfuzz {

struct RunOptions {
  /// Cases to run in the same process before the judged ones; at most the last kMaxLead. Borrowed.
  std::span<const Case> before;
  std::uint32_t implementation = 0;  ///< index into the hello's
  std::uint32_t repeats = 1;         ///< of each case, until its first finding
  std::uint64_t stop_at_key = 0;     ///< end at the first verdict with this shrink key; 0: never
  std::chrono::milliseconds timeout{10000};  ///< for one case
  /// The time at which the run is given up, as by an interruption, even if cases are left.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  /// A custom implementation compiles what it must on a plain case, before the limit counts.
  bool warm_up = false;
  bool look_longer = true;  ///< a case that agrees is called again and again
  bool stricter = true;     ///< Job::stricter
  /// If not null, receives what the last call returned; no bytes if the run did not get that far.
  ReturnedElements* returned = nullptr;
  bool without_base = false;  ///< Job::without_base
  bool strict = false;        ///< Job::strict, whatever the runner's is
  bool by_aten = false;       ///< Job::by_aten; with own_process
  bool own_process = false;   ///< in one that has run nothing yet, even if it must be waited for
};

/// Cases that are judged, in order, in a process of their own, after others that only run there.
/// Both are borrowed.
struct Sequence {
  std::span<const Case> before;  ///< at most kMaxLead, of which the last are taken
  std::span<const Case> judged;
};

/// How many candidates run in processes of their own at the same time. More is not worth it: the
/// results of those after the first that fails are thrown away.
inline constexpr std::size_t kApartAtATime = 4;

/// Runs cases on slots of a zygote, while a campaign's own slots go on. The pulse is called all
/// along; once it is true, every call ends early, with fewer verdicts.
class Runner {
 public:
  /// Each run is made by a new child.
  Runner(ZygoteClient& zygote, SlotRange slots, bool strict, Pulse pulse);
  /// Each spare makes one run after another, as long as it lives.
  Runner(ZygoteClient& zygote, Spares& spares, bool strict, Pulse pulse);

  /// Runs cases, in order, in one process, and returns their verdicts. There are fewer than cases
  /// if it ended early: after a death, whose verdict is the last; after `stop_at_key`; after
  /// kMaxRunCases; before a case with another environment than the first. None if a case of
  /// `options.before` ended the process.
  std::vector<Verdict> run_in_one_process(std::span<const Case> cases, const RunOptions& options);
  /// The verdict on the last of the cases, which are run in order in one process; none if an
  /// earlier case ended the process.
  std::optional<Verdict> run_sequence(std::span<const Case> cases, RunOptions options);
  /// The verdicts on each sequence, as run_in_one_process() gives them; several run at a time.
  std::vector<std::vector<Verdict>> run_apart(std::span<const Sequence> sequences,
                                              RunOptions options);
  /// The index of the first sequence in which a case fails with this key, or -1.
  int first_failing_apart(std::uint64_t key, std::span<const Sequence> sequences,
                          const RunOptions& options);
  /// The verdicts of `copies` processes, each with this one case, several at a time.
  std::vector<Verdict> run_copies(const Case& c, int copies, const RunOptions& options);
  /// As run_copies(), with `times` runs of the case in a row in each process, at most kMaxRunCases.
  std::vector<std::vector<Verdict>> run_rows(const Case& c, int copies, int times,
                                             const RunOptions& options);

  /// For `shrink`: finds the first candidate that still fails with this key. The batches of
  /// candidates grow. With `options.before`, each candidate has a process of its own, and all of
  /// them run before the answer.
  FirstFailing first_failing(std::uint64_t key, const RunOptions& options);

  /// A run under way.
  struct Run {
    int slot = 0;
    std::span<const Case> cases;
    std::chrono::milliseconds timeout{};
    std::chrono::steady_clock::time_point until;
    HangWatch watch;
    bool hung = false;
    bool given_up = false;  ///< ended because the pulse was true, or its time was up
    bool again = false;     ///< it was lost, and begun once more
    GpuRetry gpu;
    std::optional<int> status;
  };
  /// Begins what run_in_one_process() does, and returns at once; none while no slot is free. The
  /// cases must outlive the run.
  std::optional<Run> begin(std::span<const Case> cases, const RunOptions& options);
  /// Whether it has ended; then verdicts() may be called, before anything else is begun.
  bool ended(Run& run);
  std::vector<Verdict> verdicts(const Run& run) const;

  const ImplementationInfo& implementation(std::uint32_t index) const {
    return zygote_.hello().implementations[index];
  }
  /// Calls the pulse; whether what is done with the runner is to end.
  bool stops_at_pulse() const { return stops_at(pulse_); }

 private:
  std::optional<int> free_slot(const RunOptions& options);
  bool look_at(Run& run);
  void start_again(Run& run);
  void wait_for_gpu(Run& run);
  /// The verdict on the case at which a run died or hung.
  Verdict verdict_of_end(const Run& run, const Case& c) const;

  ZygoteClient& zygote_;
  SlotRange slots_;
  Spares* spares_ = nullptr;
  bool strict_;
  Pulse pulse_;
};

/// The shrink key of a verdict; 0 if it is no finding.
std::uint64_t key_of(const Case& c, const Verdict& verdict,
                     const ImplementationInfo& implementation);

}  // namespace indexfuzz
