#pragma once
// Cases that are illegal by their values, on GPUs: a kernel refuses one by an assertion, which ends
// its context, so that each runs in a process of its own, beside the batches.

#include <chrono>
#include <cstdint>
#include <list>
#include <vector>

#include "campaign/hello.h"
#include "campaign/store/totals.h"
#include "campaign/workers/runner.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

class ValueLane {
 public:
  /// The runner's spares are the lane's alone: as many cases run at a time. Null: there is no GPU.
  ValueLane(const Hello& hello, Runner* runner, const WorkPlan& plan);

  /// Takes in what has ended and begins a new case where a spare is ready, three a second at most,
  /// and beside MPS one in two seconds; never waits. The refusals are counted, the failures
  /// returned.
  std::vector<Suspect> step();
  /// Run so far.
  std::uint64_t cases() const { return cases_; }
  /// What became of them.
  const PairTable& totals() const { return totals_; }

 private:
  struct UnderWay {
    Case c;
    std::uint32_t implementation = 0;
    std::uint64_t number = 0;
    Runner::Run run;
  };
  bool draw(UnderWay& next);
  void begin_some();
  Suspect suspect(const UnderWay& failed, const Verdict& verdict) const;
  void count(const UnderWay& done, const Verdict& verdict);

  const Hello& hello_;
  Runner* runner_;
  const WorkPlan& plan_;
  std::vector<std::uint32_t> on_gpus_;  ///< implementations
  std::uint64_t number_ = 0;
  std::size_t turn_ = 0;
  std::uint64_t cases_ = 0;
  PairTable totals_;  ///< not a slot's tallies: those only its child writes
  std::list<UnderWay> under_way_;
  std::list<UnderWay> drawn_;  ///< the next one, once it was drawn
  std::chrono::steady_clock::time_point next_draw_{}, next_begin_{};
};

}  // namespace indexfuzz
