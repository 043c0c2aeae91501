#include "campaign/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace indexfuzz {
namespace {

/// Does something else on SIGHUP for a while.
class OnHangUp {
 public:
  explicit OnHangUp(void (*handler)(int)) : before_(signal(SIGHUP, handler)) {}
  OnHangUp(const OnHangUp&) = delete;
  OnHangUp& operator=(const OnHangUp&) = delete;
  ~OnHangUp() { signal(SIGHUP, before_); }

 private:
  void (*before_)(int);
};

TEST(StopSignals, AreNotedAndEndNothing) {
  const OnHangUp ends(SIG_DFL);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGHUP}) {
    const StopSignals signals;
    EXPECT_FALSE(signals.arrived());
    raise(number);
    EXPECT_TRUE(signals.arrived()) << number;
    EXPECT_TRUE(signals.arrived()) << number << " from then on";
  }
}

TEST(StopSignals, AHangUpIsNoneUnderNohup) {
  const OnHangUp ignored(SIG_IGN);
  const StopSignals signals;
  raise(SIGHUP);
  EXPECT_FALSE(signals.arrived());
  raise(SIGTERM);
  EXPECT_TRUE(signals.arrived());
}

}  // namespace
}  // namespace indexfuzz
