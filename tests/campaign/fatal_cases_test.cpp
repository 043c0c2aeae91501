// Cases that may end a process on a GPU, here on the CPU: by an implementation that is only said to
// be on a GPU.

#include "campaign/gpu/fatal_cases.h"

#include <gtest/gtest.h>
#include <signal.h>

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

class FatalCasesTest : public testing::Test {
 protected:
  static constexpr int kSlots = 2;  // a worker's, and that of these cases

  FatalCasesTest() {
    plan_.targets = targets(hello_, {});
    plan_.limits.gpu = false;
  }
  template <typename Holds, typename Step>
  void until(Holds holds, Step step) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit);
      step();
      zygote_.receive(std::chrono::milliseconds(5));
    }
  }
  void begin_one() {
    until([&] { return zygote_.jobs_done(1) > 0; }, [&] { spares_.refill(); });
    until([&] { return fatal_.are_under_way(); }, [&] { fatal_.begin(); });
  }

  ZygoteClient zygote_{command(), kSlots};
  const Hello& hello_ = said_to_be_on_a_gpu(zygote_);
  Spares spares_{zygote_, {1, 1}, 0};
  Runner runner_{zygote_, spares_, false, [] { return false; }};
  WorkPlan plan_;
  FatalCases fatal_{hello_, &runner_, plan_};
};

TEST_F(FatalCasesTest, AreCountedBesideTheWorkers) {
  until([&] { return fatal_.cases() >= 3; },
        [&] {
          spares_.refill();
          fatal_.collect();
          fatal_.begin();
        });
  ASSERT_EQ(fatal_.cases(), 3u);
  EXPECT_GE(fatal_.kinds(), 3u) << "so few cases are run that each should be another";
  EXPECT_EQ(add_up(zygote_.memory(), kSlots, PairTable(1)).cases, 0u)
      << "a slot's tallies only its child writes";
  EXPECT_EQ(add_up(zygote_.memory(), kSlots, fatal_.totals()).cases, 3u);
}

TEST_F(FatalCasesTest, AreCollectedWhenNoMoreAreBegun) {
  begin_one();
  until([&] { return !fatal_.are_under_way(); }, [&] { fatal_.collect(); });
  EXPECT_EQ(fatal_.cases(), 1u);
}

TEST_F(FatalCasesTest, AreGivenUpWithoutAVerdict) {
  until([&] { return zygote_.jobs_done(1) > 0; }, [&] { spares_.refill(); });
  kill(zygote_.child(1), SIGSTOP);
  begin_one();
  fatal_.collect();
  EXPECT_TRUE(fatal_.are_under_way());
  fatal_.give_up();
  fatal_.collect();
  EXPECT_FALSE(fatal_.are_under_way());
  EXPECT_EQ(fatal_.cases(), 0u);
}

}  // namespace
}  // namespace indexfuzz
