#pragma once
// The children that draw and judge: slots 0 to jobs - 1 of a zygote.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/engine.h"
#include "campaign/store/coverage_corpus.h"
#include "campaign/workers/death.h"
#include "campaign/workers/gpu_retry.h"
#include "campaign/workers/zygote_client.h"
#include "case/limits.h"

namespace indexfuzz {

/// What the workers of a campaign are to do. Made by work_plan(), which checks it; the limits of
/// GPUs are added once these are known.
struct WorkPlan {
  int jobs = 1;
  /// How many of the jobs call implementations on GPUs; 0 if there are none. Processes take turns
  /// on a GPU, so that with many of them each call that waits for it waits for a turn.
  int gpu_jobs = 0;
  int gpu_lanes = 1;  ///< Job::gpu_lanes
  std::uint64_t seed = 0;
  std::vector<Target> targets;  ///< grouped by operator
  Limits limits;
  bool strict = false;
  std::optional<std::uint64_t> cases;  ///< over all workers
  std::chrono::milliseconds timeout{10000};
  Engines engines = Engines::kProperty;
  std::string fuzzer_flags;                ///< libFuzzer's, each ended by a newline
  const CoverageCorpus* corpus = nullptr;  ///< borrowed; never null with the coverage engine
  std::string mps_pipe;                    ///< Job::mps_pipe; empty: no MPS
  std::int64_t device_memory = 0;          ///< Job::device_memory
  /// The jobs that call implementations on GPUs call nothing else. What crashes on the CPU does not
  /// end them, and they keep the plain environment: a new process would take seconds to open the
  /// GPUs again.
  bool gpus_apart = false;
};
/// Whether a worker of the property engine calls only implementations on GPUs.
bool is_on_gpus_alone(const WorkPlan& plan, std::uint32_t worker);

/// A case that an implementation was called on, by its number at the worker.
struct NumberedCall {
  std::uint64_t case_number = 0;
  std::uint32_t implementation = 0;
};

/// A failing case and the numbers that it can be drawn from again.
struct Suspect {
  Case c;
  Engine engine = Engine::kProperty;
  std::uint32_t worker = 0;
  std::uint64_t case_number = 0;
  double seconds = 0;                ///< after the campaign's beginning, when it was reported
  std::uint32_t implementation = 0;  ///< kMaxImplementations: unknown, it died between calls
  Verdict verdict;
  /// What ran before it in its process, the oldest first, at most kMaxLead cases.
  std::function<std::vector<Case>()> before;
  /// After a death on a GPU: the case at fault may be any in [case_number, batch_end). 0: it is
  /// this one.
  std::uint64_t batch_end = 0;
  std::vector<NumberedCall> batch_calls{};  ///< of these cases, in the order of their numbers
  /// Deaths on a GPU at the same time, of clients of one MPS server, have the same number here,
  /// from 1 on: one of them may have ended the others. 0: it died alone.
  std::uint64_t fault = 0;
  int silenced_place = -1;  ///< among the SilencedFailures, once it was noted
  bool waits = true;        ///< its worker stands still until it is resumed
};

/// The case that a worker draws under this number, as the worker judges it: it names no rule that
/// does not apply to it.
Case drawn_case(const WorkPlan& plan, std::uint32_t worker, std::uint64_t number);

/// Every worker that reports a suspect which `waits` stands still until it is resumed.
class Workers {
 public:
  Workers(ZygoteClient& zygote, WorkPlan plan);

  /// Starts all workers. After stop(), once all have ended, it may be called again: they go on.
  void start();
  /// The failures since the last call, at most one per worker, in the order of the workers. Those
  /// of batches that a fault of another client of their MPS server ended come last. Throws
  /// SetupError if libFuzzer does not start, DeviceMissing if a GPU cannot be used.
  std::vector<Suspect> poll();
  /// Lets a worker go on, after a death with case `next`; after stop() lets it end.
  void resume(std::uint32_t worker, std::uint64_t next);
  /// Counts a failure that ended its worker, which could not count it itself.
  void count_failure(const Suspect& dead);
  /// Asks all to end before their next case.
  void stop();
  /// Kills all at once. The cases that they were running are not reported.
  void kill();
  /// As kill(), for workers that had more time to stop than a call may take. Reports as hangs the
  /// cases of those that have stood at one call for the time limit, unless it is a first call,
  /// which may compile something.
  std::vector<Suspect> kill_hanging();
  /// The implementations that a worker is calling for the first time in its process, so that they
  /// may be compiling something.
  std::vector<std::uint32_t> in_first_calls() const;
  /// The implementation in whose call a running worker has stood for longest, if for a few seconds,
  /// and for how long.
  struct LongCall {
    std::uint32_t implementation;
    std::chrono::seconds lasts;
  };
  std::optional<LongCall> longest_call() const;
  bool all_ended() const;
  /// Whether all have run some cases, so that what takes time at their start is done.
  bool are_under_way() const;
  const WorkPlan& plan() const { return plan_; }
  std::uint64_t deaths() const { return deaths_; }
  /// Cases that an engine has drawn or chosen so far.
  std::uint64_t cases(Engine engine) const;

 private:
  enum class State : std::uint8_t { kRunning, kWaiting, kDead, kLater, kEnded };
  struct Worker {
    State state = State::kEnded;
    HangWatch watch;
    std::optional<std::uint64_t> lost_at;  ///< the case at which its zygote died last
    Engine engine = Engine::kProperty;     ///< of the turn
    std::uint64_t begun = 0;               ///< turns begun so far
    std::uint64_t coverage_turn = 0;       ///< its number, for coverage_turn()
    std::uint64_t end_case = 0;            ///< of the turn
    /// Numbers of the next case, by engine. Of a dead worker: unless it is resumed with another.
    std::uint64_t next[2] = {};
    int idle_starts = 0;  ///< starts of libFuzzer in a row that ran no case
    GpuRetry gpu;         ///< in State::kLater
  };
  std::uint64_t& next_of(Worker& worker) { return worker.next[static_cast<int>(worker.engine)]; }
  std::uint64_t left(std::uint32_t worker) const;
  Engine engine_of_turn(std::uint32_t worker) const;
  void begin_turn(std::uint32_t worker);
  void go_on(std::uint32_t worker);
  std::uint32_t first_on_host() const;
  bool alternates(std::uint32_t worker) const;
  Job::Places places_of_calls(std::uint32_t worker) const;
  void fill_property_job(std::uint32_t worker, Job& job) const;
  void fill_coverage_job(std::uint32_t worker, Job& job) const;
  std::optional<Suspect> look_at(std::uint32_t worker);
  Suspect reported(std::uint32_t worker);
  Suspect suspect(std::uint32_t worker, std::uint64_t number);
  std::optional<Case> case_of(std::uint32_t worker, Engine engine, std::uint64_t number);
  Suspect death(std::uint32_t worker, std::optional<int> status);
  void note_batch(Suspect& dead) const;
  void try_later(std::uint32_t worker);
  void end_clients(std::vector<Suspect>& suspects);

  ZygoteClient& zygote_;
  WorkPlan plan_;
  std::vector<std::vector<Target>> operators_;  ///< the targets of each operator
  std::vector<Worker> workers_;
  std::uint64_t deaths_ = 0;
  std::uint64_t faults_ = 0;  ///< of the MPS server
  bool stopping_ = false;
  mutable bool under_way_ = false;
};

}  // namespace indexfuzz
