#include "campaign/workers/running_time.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;

/// A process that does one thing until it is killed.
class Child {
 public:
  template <typename Work>
  explicit Child(Work&& work) : pid_(fork()) {
    while (pid_ == 0) work();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

/// Of half a second, at the second look.
milliseconds of_half_a_second(pid_t pid) {
  RunningTime running;
  running.of(pid, milliseconds(0));
  std::this_thread::sleep_for(milliseconds(500));
  return std::chrono::duration_cast<milliseconds>(running.of(pid, milliseconds(500)));
}

TEST(RunningTime, IsAllOfItWhileAProcessSleeps) {
  const Child sleeping([] { pause(); });
  EXPECT_EQ(of_half_a_second(sleeping.pid()), milliseconds(500));
}

TEST(RunningTime, IsWhatAProcessWasGivenWhereItWantsMore) {
  // They share a processor, so that no more than a third of it is left for the first.
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  const auto spin = [&] { sched_setaffinity(0, sizeof one, &one); };
  const Child first(spin), second(spin), third(spin);
  const milliseconds given = of_half_a_second(first.pid());
  EXPECT_GT(given, milliseconds(0));
  EXPECT_LT(given, milliseconds(400));
}

TEST(RunningTime, IsMostlyTheSameForManyLooksAsForOne) {
  // The clock of another process may stand still between two ticks.
  const Child spinning([] { static_cast<void>(sched_getcpu()); });
  RunningTime often, once;
  often.of(spinning.pid(), milliseconds(0));
  once.of(spinning.pid(), milliseconds(0));
  RunningTime::Duration passed{0}, counted{0};
  for (auto then = std::chrono::steady_clock::now(); passed < milliseconds(500);) {
    std::this_thread::sleep_for(milliseconds(1));
    const auto now = std::chrono::steady_clock::now();
    counted += often.of(spinning.pid(), now - then);
    passed += now - then;
    then = now;
  }
  EXPECT_GT(2 * counted, once.of(spinning.pid(), passed));
}

TEST(RunningTime, IsAllOfItWhereNothingIsKnown) {
  EXPECT_EQ(of_half_a_second(0), milliseconds(500));
}

}  // namespace
}  // namespace indexfuzz
