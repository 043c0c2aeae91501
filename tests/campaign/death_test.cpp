// What the supervisor makes of a child that did not end by itself.

#include "campaign/workers/death.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "../written_case.h"
#include "run/shared/child_processes.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// As waitpid reports them.
constexpr int exited(int code) {
  return code << 8;
}
constexpr int killed_by(int signal) {
  return signal;
}

class Death : public testing::Test {
 protected:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<Slot, Free> slot_{static_cast<Slot*>(std::calloc(1, sizeof(Slot)))};
  Slot& slot = *slot_;
  Case c = written("index_select functional\nself float32 (2)\nindex int64 (1) fill=last");

  void SetUp() override { slot.fault_operand = -1; }
};

TEST_F(Death, ACallOfExitIsNoGoodEnd) {
  EXPECT_FALSE(ended_well(slot, exited(0)));
  const Verdict verdict = verdict_of_death(c, slot, exited(0));
  EXPECT_EQ(verdict.kind, Kind::kCrash);
  EXPECT_STREQ(verdict.message.data(), "called exit(0)");
  slot.finished = 1;
  EXPECT_TRUE(ended_well(slot, exited(0)));
}

TEST_F(Death, AGpuIsUnusableOnlyIfTheSlotSaysWhy) {
  EXPECT_FALSE(device_unusable(slot, exited(kDeviceUnusableExit))) << "a kernel called exit()";
  EXPECT_STREQ(verdict_of_death(c, slot, exited(kDeviceUnusableExit)).message.data(),
               "called exit(87)");
  slot.device_error = 2;
  EXPECT_TRUE(device_unusable(slot, exited(kDeviceUnusableExit)));
  EXPECT_FALSE(device_unusable(slot, exited(1)));
  EXPECT_FALSE(device_unusable(slot, killed_by(SIGKILL)));
}

TEST_F(Death, AnAssertionOfAGpuRefusesIllegalValuesAlone) {
  constexpr int kErrorAssert = 710, kErrorIllegalAddress = 700;
  const auto status_of = [&](const char* rule, int error) {
    slot.device_error = error;
    const Case illegal = written("index_select functional breaks=" + std::string(rule) +
                                 "\nself float32 (2)\nindex int64 (1) fill=last");
    return verdict_of_death(illegal, slot, exited(86)).status;
  };
  EXPECT_EQ(status_of("index_above", kErrorAssert), Status::kAgreed);
  EXPECT_EQ(status_of("index_above", kErrorIllegalAddress), Status::kFinding);
  EXPECT_EQ(status_of("index_rank", kErrorAssert), Status::kFinding)
      << "the ranks are known before a kernel is launched";
  slot.device_error = kErrorAssert;
  EXPECT_EQ(verdict_of_death(c, slot, exited(86)).status, Status::kFinding) << "of a legal case";
}

TEST_F(Death, TellsACrashFromMemoryThatRanOut) {
  slot.signal = SIGSEGV;
  EXPECT_EQ(verdict_of_death(c, slot, killed_by(SIGSEGV)).kind, Kind::kCrash);
  slot.memory_spent = 1;
  EXPECT_EQ(verdict_of_death(c, slot, killed_by(SIGSEGV)).kind, Kind::kOom);
}

TEST_F(Death, TellsAKillFromASignalThatWasNoted) {
  EXPECT_TRUE(was_killed(slot, killed_by(SIGKILL)));
  EXPECT_EQ(verdict_of_death(c, slot, killed_by(SIGKILL)).kind, Kind::kOom);
  slot.signal = SIGABRT;
  EXPECT_FALSE(was_killed(slot, killed_by(SIGKILL)));
}

TEST_F(Death, WhoLooksAtAllOfATableMayTakeLong) {
  const Case of_table =
      written("index_select functional\nself float32 (2) slices=last\nindex int64 (1) fill=last");
  EXPECT_EQ(verdict_of_hang(c, seconds(10)).kind, Kind::kHang);
  EXPECT_EQ(verdict_of_hang(c, seconds(10)).status, Status::kFinding);
  EXPECT_EQ(verdict_of_hang(of_table, seconds(10)).status, Status::kRefused);
  EXPECT_EQ(verdict_of_death(of_table, slot, killed_by(SIGKILL)).status, Status::kRefused);
  slot.signal = SIGSEGV;
  EXPECT_EQ(verdict_of_death(of_table, slot, killed_by(SIGSEGV)).status, Status::kFinding);
}

TEST_F(Death, NamesAStackOverflow) {
  slot.signal = SIGSEGV;
  slot.stack_overflow = 1;
  const Verdict verdict = verdict_of_death(c, slot, killed_by(SIGSEGV));
  EXPECT_EQ(verdict.kind, Kind::kCrash);
  EXPECT_STREQ(verdict.message.data(), "stack overflow");
}

/// Looks every tenth of a second of a clock of its own.
class Looker {
 public:
  explicit Looker(const Slot& slot, pid_t child = 0) : slot_(slot), child_(child) { look(); }
  bool look() { return watch_.stuck(slot_, child_, now_, seconds(10)); }
  void pass(milliseconds time) { now_ += time; }
  bool stuck_within(seconds time) {
    for (milliseconds passed{0}; passed < time; passed += milliseconds(100)) {
      pass(milliseconds(100));
      if (look()) return true;
    }
    return false;
  }

 private:
  const Slot& slot_;
  pid_t child_;
  HangWatch watch_;
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
};

TEST_F(Death, AHangIsACallThatStandsStill) {
  Looker looker(slot);
  EXPECT_FALSE(looker.stuck_within(seconds(9)));
  slot.calls = 1;
  EXPECT_FALSE(looker.stuck_within(seconds(10)));
  EXPECT_TRUE(looker.stuck_within(seconds(1)));
}

TEST_F(Death, AFirstCallMayCompileSomething) {
  slot.patience = 60;
  Looker looker(slot);
  EXPECT_FALSE(looker.stuck_within(seconds(60)));
  EXPECT_TRUE(looker.stuck_within(seconds(11)));
}

TEST_F(Death, WhatFollowsALongFirstCallHasItsOwnTime) {
  slot.patience = 60;
  Looker looker(slot);
  EXPECT_FALSE(looker.stuck_within(seconds(30)));
  slot.patience = 0;
  EXPECT_FALSE(looker.stuck_within(seconds(10)));
  EXPECT_TRUE(looker.stuck_within(seconds(1)));
}

/// Until the process waits for something: on a busy machine one that is woken has yet to run.
void wait_until_asleep(pid_t pid) {
  for (int asleep = 0; asleep < 3; usleep(5000)) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name;
    char state = 0;
    stat >> number >> name >> state;
    asleep = state == 'S' ? asleep + 1 : 0;
  }
}

TEST_F(Death, AFirstCallThatRunsACompilerIsWaitedForLonger) {
  slot.patience = 60;
  const pid_t worker = fork();
  if (worker == 0) {
    const pid_t compiler = fork();
    if (compiler != 0) waitpid(compiler, nullptr, 0);
    pause();
    _exit(0);
  }
  while (child_processes(worker, worker).empty()) usleep(1000);
  Looker looker(slot, worker);
  EXPECT_FALSE(looker.stuck_within(std::chrono::minutes(5)));
  kill(child_processes(worker, worker).front(), SIGKILL);
  while (!child_processes(worker, worker).empty()) usleep(1000);
  wait_until_asleep(worker);
  EXPECT_FALSE(looker.stuck_within(seconds(59)));
  EXPECT_TRUE(looker.stuck_within(seconds(2)));
  kill(worker, SIGKILL);
  waitpid(worker, nullptr, 0);
}

TEST_F(Death, AMachineThatStoodStillMakesNoChildHang) {
  Looker looker(slot);
  EXPECT_FALSE(looker.stuck_within(seconds(9)));
  looker.pass(seconds(100));
  EXPECT_FALSE(looker.look());
  EXPECT_TRUE(looker.stuck_within(seconds(1)));
}

}  // namespace
}  // namespace indexfuzz
