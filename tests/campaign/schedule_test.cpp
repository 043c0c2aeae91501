#include "campaign/schedule.h"

#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

using namespace std::chrono_literals;

/// A campaign of ten minutes.
struct ScheduleTest : testing::Test {
  ScheduleTest() {
    options.time = 10min;
    options.timeout = 10s;
    schedule.begin_drawing();
  }
  CampaignOptions options;
  const Schedule::Clock::time_point begin{1h};
  Schedule schedule{options, begin};
};

TEST_F(ScheduleTest, TheTimeIsUpOnceItHasPassed) {
  EXPECT_FALSE(schedule.time_is_up(begin + 9min));
  EXPECT_TRUE(schedule.time_is_up(begin + 10min));
  schedule.begin(begin + 1min);
  EXPECT_FALSE(schedule.time_is_up(begin + 10min));
  options.stop_at = std::chrono::system_clock::now() - 1s;
  EXPECT_TRUE(schedule.time_is_up(begin + 2min));
  options.stop_at = std::chrono::system_clock::now() + 1h;
  options.time.reset();
  EXPECT_FALSE(schedule.time_is_up(begin + 48h));
}

TEST_F(ScheduleTest, ItIsLateAfterAsMuchTimeAgain) {
  EXPECT_FALSE(schedule.is_late(begin + 1h)) << "nothing was stopped";
  schedule.stop(begin + 10min, false);
  schedule.stop(begin + 15min, true);
  EXPECT_FALSE(schedule.had_enough()) << "it was stopped before";
  EXPECT_FALSE(schedule.is_late(begin + 20min));
  EXPECT_TRUE(schedule.is_late(begin + 20min + 1ms));
}

TEST_F(ScheduleTest, ItIsNeverLateIfTheTimeWasNotUp) {
  schedule.stop(begin + 1min, true);
  EXPECT_TRUE(schedule.stopped());
  EXPECT_TRUE(schedule.had_enough());
  EXPECT_FALSE(schedule.is_late(begin + 48h));
  schedule.begin_drawing();
  EXPECT_FALSE(schedule.stopped());
  EXPECT_FALSE(schedule.had_enough());
}

TEST_F(ScheduleTest, WorkersHaveMoreTimeToStopThanACallMayTake) {
  EXPECT_FALSE(schedule.patience_is_over(begin + 1h, false)) << "nobody was told to stop";
  schedule.stop(begin + 10min, false);
  EXPECT_FALSE(schedule.patience_is_over(begin + 10min + 14s, false));
  EXPECT_TRUE(schedule.patience_is_over(begin + 10min + 15s, false));
  EXPECT_TRUE(schedule.patience_is_over(begin + 10min + 2s, true)) << "the user does not wait";
  schedule.renew_patience(begin + 11min);
  EXPECT_FALSE(schedule.patience_is_over(begin + 11min + 14s, false));
  EXPECT_TRUE(schedule.patience_is_over(begin + 11min + 15s, false));
}

TEST_F(ScheduleTest, CountsTheSecondsInWhichCasesAreDrawn) {
  EXPECT_EQ(schedule.seconds(begin + 7s), 7);
  EXPECT_TRUE(schedule.drawing());
  schedule.end_drawing(begin + 8s);
  schedule.end_drawing(begin + 9s);
  EXPECT_FALSE(schedule.drawing());
  EXPECT_EQ(schedule.seconds(begin + 20s), 8);
  EXPECT_EQ(schedule.elapsed(begin + 20s), 20);
  schedule.begin_drawing();
  EXPECT_EQ(schedule.seconds(begin + 30s), 30);
}

}  // namespace
}  // namespace indexfuzz
