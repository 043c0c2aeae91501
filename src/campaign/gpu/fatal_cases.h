#pragma once
// Runs cases on GPUs that are illegal by their values. A kernel refuses such a case by an
// assertion, which ends its context, so each runs in a process of its own, beside the batches.

#include <chrono>
#include <cstdint>
#include <list>
#include <set>
#include <tuple>
#include <vector>

#include "campaign/counts/totals.h"
#include "campaign/hello.h"
#include "campaign/workers/runner.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Runs cases that may legally end a GPU's context, each in a fresh process beside the workers.
class FatalCases {
 public:
  /// The runner's spares must be used by nothing else; as many cases run at a time as there are
  /// spares. A null runner: there is no GPU.
  FatalCases(const Hello& hello, Runner* runner, const WorkPlan& plan);

  /// Takes in the runs that have ended: refusals are counted, failures returned.
  std::vector<Suspect> collect();
  /// Begins runs while spares are ready: the first few three a second at most, later ones one in
  /// two seconds. Never waits.
  void begin();
  /// Whether a run that was begun is still to be collected.
  bool are_under_way() const { return !under_way_.empty(); }
  /// From now on, collect() ends runs that are still under way, without a verdict.
  void give_up();
  /// Cases that were run so far.
  std::uint64_t cases() const { return cases_; }
  /// How many kinds of cases were drawn; kinds differ in form, rule or distance of the index.
  std::size_t kinds() const { return met_.size(); }
  /// The outcomes of these cases.
  const PairTable& totals() const { return totals_; }

 private:
  struct UnderWay {
    Case c;
    std::uint32_t implementation = 0;
    std::uint64_t number = 0;
    Runner::Run run;
  };
  bool note_kind(Case c, std::uint32_t implementation);
  bool draw(UnderWay& next);
  Suspect suspect(const UnderWay& failed, const Verdict& verdict) const;
  void count(const UnderWay& done, const Verdict& verdict);

  const Hello& hello_;
  Runner* runner_;
  const WorkPlan& plan_;
  std::vector<std::uint32_t> on_gpus_;  ///< implementations
  /// The kinds of cases that were drawn: implementation, form, rule, distance of the index.
  std::set<std::tuple<std::uint32_t, int, int, Variant, int, int>> met_;
  std::uint64_t number_ = 0;
  std::size_t turn_ = 0;
  std::uint64_t cases_ = 0;
  PairTable totals_;  ///< kept here, since only a slot's child writes the slot's tallies
  std::list<UnderWay> under_way_;
  std::list<UnderWay> drawn_;  ///< the next one, once it is drawn
  std::chrono::steady_clock::time_point next_draw_{}, next_begin_{};
};

}  // namespace indexfuzz
