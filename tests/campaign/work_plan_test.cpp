#include "campaign/workers/work_plan.h"

#include <gtest/gtest.h>

#include "../written_case.h"
#include "run/job.h"

namespace indexfuzz {
namespace {

Hello hello_of(std::initializer_list<const char*> devices) {
  Hello hello;
  for (const char* device : devices) {
    ImplementationInfo implementation;
    implementation.device = device;
    hello.implementations.push_back(implementation);
  }
  return hello;
}

TEST(Job, HasRoomForEveryFormOfEveryOperator) {
  EXPECT_LE(all_targets().size(), std::size_t{kMaxTargets});
}

TEST(GpuJobs, AreFewWhereJobsTakeTurns) {
  CampaignOptions options;
  options.jobs = 16;
  EXPECT_EQ(gpu_jobs(options, hello_of({"cpu"})), 0);
  EXPECT_EQ(gpu_jobs(options, hello_of({"cpu", "cuda:0"})), 1);
  EXPECT_EQ(gpu_jobs(options, hello_of({"cuda:0", "cuda:1", "cuda:1"})), 2);
  options.mps = true;
  EXPECT_EQ(gpu_jobs(options, hello_of({"cuda:0"})), 8);
  options.jobs = 2;
  EXPECT_EQ(gpu_jobs(options, hello_of({"cuda:0"})), 2);
}

TEST(GpuJobs, AreAsManyAsTheUserNamed) {
  CampaignOptions options;
  options.jobs = 5;
  options.jobs_named = true;
  EXPECT_EQ(gpu_jobs(options, hello_of({"cpu", "cuda:0"})), 5);
  EXPECT_EQ(gpu_jobs(options, hello_of({"cpu"})), 0);
}

}  // namespace
}  // namespace indexfuzz
