#include "campaign/gpu/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/failure.h"
#include "campaign/gpu/gpu_fleet.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(DeviceMemory, ChildrenTakeNoMoreThanMayBeUsed) {
  for (const std::int64_t bytes : {8 * kGiB, 16 * kGiB, 35 * kGiB, 140 * kGiB}) {
    for (const int workers : {1, 2, 4}) {
      const MemoryPlan plan = share_device_memory(bytes, gpu_children(workers, 16));
      const int all = plan.children.workers + plan.children.spares + plan.children.fatal;
      EXPECT_EQ(plan.children.workers, workers);
      EXPECT_GE(plan.children.spares, 2);
      EXPECT_GE(plan.children.fatal, 1);
      EXPECT_LE(workers * plan.worker + (all - workers) * plan.other, bytes);
      EXPECT_GE(plan.worker, kGiB / 4);
      EXPECT_GE(plan.other, kGiB / 4);
    }
  }
}

TEST(DeviceMemory, SparesFollowTheCores) {
  EXPECT_EQ(gpu_children(1, 1).spares, 2);
  EXPECT_EQ(gpu_children(1, 1).fatal, 1);
  const GpuChildren many = gpu_children(1, 64);
  EXPECT_GT(many.spares, 2);
  EXPECT_GT(many.fatal, 1);
  EXPECT_LE(many.spares + many.fatal, GpuFleet::kMostSlots);
}

TEST(DeviceMemory, TooLittleIsSaidInOneSentence) {
  try {
    share_device_memory(kGiB, gpu_children(8, 16));
    ADD_FAILURE() << "it was shared out";
  } catch (const DeviceMissing& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("1024 MiB may be used, 8 jobs need "));
    EXPECT_THAT(error.what(), testing::HasSubstr("--gpu-memory"));
  }
}

}  // namespace
}  // namespace indexfuzz
