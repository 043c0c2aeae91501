// Cases that may end a process on a GPU, here on the CPU: by an implementation that is only said to
// be on a GPU.

#include "campaign/gpu/fatal_cases.h"

#include <gtest/gtest.h>

#include <chrono>

#include "campaign/workers/spares.h"

namespace indexfuzz {
namespace {

WorkerCommand command() {
  WorkerCommand command;
  command.executable = find_worker_executable();
  command.implementations = {"aten:cpu"};
  command.operators = {"index_select"};
  return command;
}

const Hello& said_to_be_on_a_gpu(ZygoteClient& zygote) {
  const Hello& hello = zygote.hello();
  const_cast<Hello&>(hello).implementations.front().device = "cuda:0";
  return hello;
}

TEST(FatalCases, CountsBesideTheWorkers) {
  constexpr int kSlots = 2;  // a worker's, and that of these cases
  ZygoteClient zygote(command(), kSlots);
  const Hello& hello = said_to_be_on_a_gpu(zygote);
  Spares spares(zygote, {1, 1}, 0);
  Runner runner(zygote, spares, false, [] { return false; });
  WorkPlan plan;
  plan.targets = targets(hello, {});
  plan.limits.gpu = false;
  FatalCases fatal(hello, &runner, plan);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (fatal.cases() < 3 && std::chrono::steady_clock::now() < limit) {
    spares.refill();
    fatal.step();
    zygote.receive(std::chrono::milliseconds(5));
  }
  ASSERT_EQ(fatal.cases(), 3u);
  EXPECT_GE(fatal.kinds(), 3u) << "so few cases are run that each should be another";
  EXPECT_EQ(add_up(zygote.memory(), kSlots, PairTable(1)).cases, 0u)
      << "a slot's tallies only its child writes";
  EXPECT_EQ(add_up(zygote.memory(), kSlots, fatal.totals()).cases, 3u);
}

}  // namespace
}  // namespace indexfuzz
