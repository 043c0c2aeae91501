#include "campaign/workers/gpu_retry.h"

#include <gtest/gtest.h>

#include <memory>

#include "campaign/failure.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;

class GpuRetryTest : public testing::Test {
 protected:
  const Slot& saying(int code) {
    slot_->device_error = code;
    return *slot_;
  }
  std::unique_ptr<Slot> slot_ = std::make_unique<Slot>();
  GpuRetry retry_;
  GpuRetry::Time now_{milliseconds(1000)};
};

TEST_F(GpuRetryTest, WaitsAMomentWhereTheGpuIsBusyOrItsServerGone) {
  EXPECT_FALSE(retry_.waits(now_)) << "nothing has failed yet";
  for (const int code : {46, 805, 807, 810}) {
    retry_.failed(saying(code), now_);
    EXPECT_TRUE(retry_.waits(now_ + milliseconds(10)));
    EXPECT_FALSE(retry_.waits(now_ + milliseconds(1000)));
  }
}

TEST_F(GpuRetryTest, WhatWillNotPassIsNotWaitedFor) {
  // No memory, no device, a device that was lost, or no word of it.
  for (const int code : {2, 100, 999, 0})
    EXPECT_THROW(retry_.failed(saying(code), now_), DeviceMissing);
}

TEST_F(GpuRetryTest, GivesUpWhereItDoesNotPass) {
  const auto fail_for = [this](int seconds) {
    for (const auto end = now_ + std::chrono::seconds(seconds); now_ < end;) {
      if (!retry_.waits(now_)) retry_.failed(saying(46), now_);
      now_ += milliseconds(20);
    }
  };
  EXPECT_NO_THROW(fail_for(8));
  retry_.succeeded();
  EXPECT_FALSE(retry_.waits(now_));
  EXPECT_NO_THROW(fail_for(8)) << "it counts anew";
  EXPECT_THROW(fail_for(8), DeviceMissing);
}

}  // namespace
}  // namespace indexfuzz
