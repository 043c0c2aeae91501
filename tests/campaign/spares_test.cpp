// Children that take one run after another, here on the CPU.

#include "campaign/workers/spares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "../cli/command.h"
#include "../written_case.h"
#include "campaign/examine/fresh_process.h"
#include "campaign/examine/minimize.h"
#include "campaign/workers/runner.h"
#include "ops/definition/operator.h"
#include "scripted_worker.h"

namespace indexfuzz {
namespace {

using testing::SizeIs;

const Case kPlain =
    written("index_select functional\nself float32 (4, 4)\nindex int64 (2) fill=first\n");

/// The planted kernel aborts on it.
const Case kStrided = written(
    "index_select functional\nself float32 (4, 4) step=(2, 1)\nindex int64 (2) fill=first\n");

class SparesTest : public testing::Test {
 protected:
  static WorkerCommand command() {
    WorkerCommand command;
    command.executable = find_worker_executable();
    command.libraries = {planted_library()};
    command.implementations = {"aten:cpu", "planted::index_select_abort",
                               "planted::index_select_hang"};
    command.operators = {"index_select"};
    return command;
  }
  std::uint32_t place(const std::string& name) {
    const auto& all = zygote_.hello().implementations;
    const auto found = std::ranges::find(all, name, &ImplementationInfo::name);
    EXPECT_NE(found, all.end()) << name;
    return static_cast<std::uint32_t>(found - all.begin());
  }
  Verdict run(const Case& c, const std::string& implementation, bool own_process = false) {
    RunOptions options;
    options.implementation = place(implementation);
    options.own_process = own_process;
    const auto verdicts = runner_.run_in_one_process({&c, 1}, options);
    return verdicts.empty() ? Verdict{Status::kVacuous} : verdicts.front();
  }
  Verdict abort() { return run(kStrided, "planted::index_select_abort"); }
  template <typename Condition>
  void wait_until(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit);
      spares_.refill();
      zygote_.receive(std::chrono::milliseconds(5));
    }
  }
  pid_t pid(int slot) { return zygote_.child(slot); }

  ZygoteClient zygote_{command(), 4};
  Spares spares_{(zygote_.hello(), zygote_), {0, 2}, 0};
  // As a campaign does while it waits for a run.
  Runner runner_{zygote_, spares_, false, [this] {
                   spares_.refill();
                   return false;
                 }};
};

TEST_F(SparesTest, OneProcessTakesRunAfterRun) {
  wait_until([this] { return zygote_.jobs_done(0) > 0 && zygote_.jobs_done(1) > 0; });
  const pid_t first = pid(0), second = pid(1);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
  EXPECT_EQ(pid(0), first);
  EXPECT_EQ(pid(1), second);
  EXPECT_EQ(zygote_.jobs_done(0) + zygote_.jobs_done(1), 502);
}

TEST_F(SparesTest, WhatNobodyAsksForEnds) {
  EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
  wait_until([this] { return zygote_.jobs_done(0) == 0 && zygote_.jobs_done(1) == 0; });
  EXPECT_TRUE(zygote_.is_free(0) && zygote_.is_free(1));
  spares_.refill();
  EXPECT_FALSE(zygote_.running(0) || zygote_.running(1));
  EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
}

TEST_F(SparesTest, WhatDiesIsReplaced) {
  for (int i = 0; i < 5; ++i) {
    const Verdict died = abort();
    EXPECT_EQ(died.status, Status::kFinding);
    EXPECT_EQ(died.kind, Kind::kCrash);
    EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
  }
}

TEST_F(SparesTest, ARunIsGivenUpWhenItsTimeIsUp) {
  const Case hangs =
      written("index_select functional\nself float32 (4, 4)\nindex int64 (7) fill=first\n");
  const Case cases[] = {kPlain, hangs, kPlain};
  RunOptions options;
  options.implementation = place("planted::index_select_hang");
  options.timeout = std::chrono::minutes(10);
  options.until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const auto verdicts = runner_.run_in_one_process(cases, options);
  EXPECT_LE(verdicts.size(), 1u) << "nobody knows yet that the second hangs";
  for (const Verdict& verdict : verdicts) EXPECT_EQ(verdict.status, Status::kAgreed);
  EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed) << "the runner goes on";
}

TEST_F(SparesTest, OneThatWasKilledAtRestBlamesNobody) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
    for (const int slot : {0, 1}) {
      if (zygote_.jobs_done(slot) > 0) kill(pid(slot), SIGKILL);
    }
    EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
  }
}

TEST_F(SparesTest, AnOwnProcessHasRunNothingBefore) {
  EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(run(kPlain, "aten:cpu", true).status, Status::kAgreed);
    // The one that opened it, and this run.
    EXPECT_THAT((std::vector{zygote_.jobs_done(0), zygote_.jobs_done(1)}), testing::Contains(2));
  }
}

TEST_F(SparesTest, AnotherCapabilityTakesAnotherProcess) {
  Case plain_code = kPlain;
  plain_code.environment.capability = Capability::kDefault;
  EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
  EXPECT_EQ(run(plain_code, "aten:cpu").status, Status::kAgreed);
  EXPECT_EQ(run(kPlain, "aten:cpu").status, Status::kAgreed);
}

TEST_F(SparesTest, SeveralCopiesRunOnFewSpares) {
  RunOptions options;
  options.implementation = place("planted::index_select_abort");
  const auto died = runner_.run_copies(kStrided, 7, options);
  ASSERT_THAT(died, SizeIs(7));
  for (const Verdict& verdict : died) EXPECT_EQ(verdict.kind, Kind::kCrash);
  options.implementation = place("aten:cpu");
  const auto rows = runner_.run_rows(kPlain, 5, 100, options);
  ASSERT_THAT(rows, SizeIs(5));
  for (const auto& row : rows) EXPECT_THAT(row, SizeIs(100));
}

TEST_F(SparesTest, AFailureThatEndsThemShrinksAsInProcessesOfItsOwn) {
  const Case large = written(
      "index_select out dim=1\nself int32 (3, 5, 4, 6) order=(3, 0, 2, 1) step=(1, 2, 1, 1) "
      "before=(0, 0, 1, 0)\nindex int64 (3) fill=last\nout int32 (3, 3, 4, 6)\n");
  Case functional = large;
  functional.variant = Variant::kFunctional;
  functional.operands.pop_back();
  Runner own(zygote_, {2, 2}, false, {});
  ExamineOptions options;
  options.implementation = place("planted::index_select_abort");
  options.kind = Kind::kCrash;
  const Confirmation here = confirm(runner_, nullptr, functional, 0, options);
  const Confirmation there = confirm(own, nullptr, functional, 0, options);
  ASSERT_EQ(here.failed, 9);
  ASSERT_EQ(there.failed, 9);
  const Case minimal = shrink_failure(runner_, functional, here, options);
  EXPECT_EQ(to_text(minimal), to_text(shrink_failure(own, functional, there, options)));
  EXPECT_LT(total_elements(minimal), 10);
  EXPECT_EQ(essential_traits(runner_, minimal, here, options),
            essential_traits(own, minimal, there, options));
}

TEST_F(SparesTest, FreshProcessesWaitInAdvance) {
  FreshProcesses fresh(command(), false, true);
  fresh.refill();
  RunOptions options;
  options.implementation = place("aten:cpu");
  for (int i = 0; i < 3; ++i) {
    const auto process = fresh.take();
    for (int k = 0; k < 2; ++k) {
      process->begin({kPlain}, options);
      const auto verdict = process->finish({});
      ASSERT_TRUE(verdict.has_value());
      EXPECT_EQ(verdict->status, Status::kAgreed);
    }
  }
}

TEST_F(SparesTest, AWitnessAnswersForTheTimeBeforeItWasAsked) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  GpuWitness& witness = zygote_.witness();
  constexpr milliseconds kMoment{50};
  const auto served_since = [&](steady_clock::time_point since) {
    const auto limit = steady_clock::now() + std::chrono::seconds(20);
    while (!witness.served_since(since, place("aten:cpu"), steady_clock::now(), kMoment)) {
      if (steady_clock::now() > limit) return false;
      zygote_.receive(milliseconds(5));
    }
    return true;
  };
  const auto before = steady_clock::now();
  EXPECT_FALSE(witness.served_since(before, place("aten:cpu"), before, kMoment));
  EXPECT_TRUE(served_since(before));
  EXPECT_TRUE(witness.served_since(before, place("aten:cpu"), steady_clock::now(), kMoment));
  // What it was given before tells nothing of a child that has stood still only since then.
  const auto now = steady_clock::now();
  EXPECT_FALSE(witness.served_since(now, place("aten:cpu"), now, kMoment));
  EXPECT_TRUE(served_since(now));
}

TEST(Spares, ARunThatWaitsForTheGpuKeepsItsSlot) {
  constexpr int kDevicesUnavailable = 46;
  const Scratch scratch;
  ZygoteClient zygote(
      script(scratch, say_hello() + await(scratch, "go") +
                          say(Message::Type::kEnded, 0, std::to_string(kDeviceUnusableExit << 8)) +
                          "exec sleep 300"),
      1);
  write_hello(zygote.memory());
  zygote.hello();
  Spares spares(zygote, {0, 1}, 0);
  spares.refill();
  Slot& slot = zygote.slot(0);
  slot.finished = 1;  // it is open
  // As a campaign does while it waits for a run.
  Runner runner(zygote, spares, false, [&] {
    spares.refill();
    return false;
  });
  auto run = runner.begin({&kPlain, 1}, {});
  ASSERT_TRUE(run.has_value());
  slot.device_error = kDevicesUnavailable;
  scratch.write("go", "");
  for (int i = 0; i < 300 && slot.device_error.load() != 0; ++i) {
    EXPECT_FALSE(runner.ended(*run));
    zygote.receive(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(slot.device_error.load(), 0) << "it was started again";
  EXPECT_EQ(slot.job.case_count, 1u) << "with another job";
  EXPECT_FALSE(spares.take().has_value());
}

}  // namespace
}  // namespace indexfuzz
