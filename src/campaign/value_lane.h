#pragma once
// Cases that are illegal by their values, on GPUs: a kernel refuses one by an assertion, which ends
// its context, so that each runs in a process of its own, beside the batches.

#include <chrono>
#include <cstdint>
#include <vector>

#include "campaign/hello.h"
#include "campaign/runner.h"
#include "campaign/workers.h"

namespace indexfuzz {

class ValueLane {
 public:
  /// Runs on the runner's slots. Idle where nothing is on a GPU.
  ValueLane(ZygoteClient& zygote, Runner& runner, const Hello& hello, const WorkPlan& plan);

  /// Draws some cases and runs them, not more often than every two seconds; the refusals are
  /// counted, the failures returned.
  std::vector<Suspect> run();

 private:
  /// The next case that has a plan on a GPU, for that implementation.
  bool draw(Case& c, std::uint32_t& implementation);
  void count(const Case& c, std::uint32_t implementation, const Verdict& verdict);

  ZygoteClient& zygote_;
  Runner& runner_;
  const Hello& hello_;
  const WorkPlan& plan_;
  std::vector<std::uint32_t> on_gpus_;  ///< implementations
  std::uint64_t number_ = 0;
  std::size_t turn_ = 0;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace indexfuzz
