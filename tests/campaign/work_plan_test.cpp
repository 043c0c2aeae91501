#include "campaign/workers/work_plan.h"

#include <gtest/gtest.h>

#include <memory>

#include "../written_case.h"
#include "ops/definition/operator.h"
#include "run/shared/job.h"
#include "run/shared/protocol.h"

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

/// The plan for implementations of index_select on these devices.
WorkPlan plan_for(std::initializer_list<const char*> devices, const CampaignOptions& options) {
  Hello hello = hello_of(devices);
  for (ImplementationInfo& implementation : hello.implementations)
    implementation.forms = {
        {find_operator("index_select")->number, 0, Variant::kFunctional, "", ""}};
  const auto memory = std::make_unique<SharedMemory>();
  WorkPlan plan = work_plan(options, hello, CoverageCorpus(*memory, {}, {}));
  plan.corpus = nullptr;
  return plan;
}

TEST(WorkPlan, WhatIsOnAGpuIsCalledApart) {
  CampaignOptions options;
  options.jobs = 16;
  const WorkPlan mixed = plan_for({"cpu", "cuda:0"}, options);
  EXPECT_EQ(mixed.gpu_jobs, 1);
  EXPECT_EQ(mixed.jobs, 9) << "half of the processors are left to what the GPU needs";
  EXPECT_TRUE(is_on_gpus_alone(mixed, 0));
  EXPECT_FALSE(is_on_gpus_alone(mixed, 1));

  const WorkPlan gpu = plan_for({"cuda:0"}, options);
  EXPECT_EQ(gpu.jobs, 1);
  EXPECT_TRUE(is_on_gpus_alone(gpu, 0));

  const WorkPlan cpu = plan_for({"cpu"}, options);
  EXPECT_EQ(cpu.jobs, 16);
  EXPECT_FALSE(is_on_gpus_alone(cpu, 0));
}

TEST(WorkPlan, AJobThatTheUserNamedCallsEverything) {
  CampaignOptions options;
  options.jobs_named = true;
  options.jobs = 3;
  EXPECT_FALSE(is_on_gpus_alone(plan_for({"cpu", "cuda:0"}, options), 0));
  EXPECT_TRUE(is_on_gpus_alone(plan_for({"cuda:0"}, options), 2));
}

TEST(WorkPlan, ASingleJobCallsEverything) {
  CampaignOptions options;
  const WorkPlan single = plan_for({"cpu", "cuda:0"}, options);
  EXPECT_EQ(single.jobs, 1);
  EXPECT_FALSE(is_on_gpus_alone(single, 0));
}

}  // namespace
}  // namespace indexfuzz
