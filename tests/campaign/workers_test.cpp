#include "campaign/workers/workers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "../cli/command.h"
#include "campaign/examine/known_failures.h"
#include "campaign/workers/work_plan.h"

namespace indexfuzz {
namespace {

CampaignOptions one_worker_of_both_engines() {
  CampaignOptions options;
  options.worker.executable = find_worker_executable();
  options.worker.libraries = {planted_library()};
  options.worker.implementations = {"planted::index_select_offset_ignored"};
  options.worker.operators = {"index_select"};
  options.engines = Engines::kBoth;
  options.seed = 1;
  return options;
}

TEST(Workers, ASuspectKeepsWhatRanBeforeItWhenTheOtherEngineHasItsTurn) {
  const CampaignOptions options = one_worker_of_both_engines();
  ZygoteClient zygote(options.worker, options.jobs);
  const Hello& hello = zygote.hello();
  if (!hello.libfuzzer) GTEST_SKIP() << "there is no other engine";
  const CoverageCorpus corpus(zygote.memory(), targets(hello, {}), options.limits);
  Workers workers(zygote, work_plan(options, hello, corpus));
  KnownFailures known(zygote.memory().known);
  std::optional<Suspect> first;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  workers.start();
  while (workers.cases(Engine::kCoverage) == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    zygote.receive(std::chrono::milliseconds(5));
    for (Suspect& suspect : workers.poll()) {
      const std::string& name = hello.implementations[suspect.implementation].name;
      known.add(shrink_key(suspect.c, suspect.verdict, name), {});
      workers.resume(suspect.worker, suspect.case_number + 1);
      if (!first && suspect.case_number > 0) first = std::move(suspect);
    }
  }
  ASSERT_TRUE(first.has_value());
  ASSERT_EQ(first->engine, Engine::kProperty);
  const std::vector<Case> before = first->before();
  ASSERT_FALSE(before.empty());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(before[i] == drawn_case(workers.plan(), 0, first->case_number - before.size() + i))
        << i;
  }
}

TEST(Workers, WhatMakesProgressIsNoHang) {
  CampaignOptions options = one_worker_of_both_engines();
  options.worker.implementations = {"correct::index_select_strided"};
  options.engines = Engines::kProperty;
  ZygoteClient zygote(options.worker, options.jobs);
  const Hello& hello = zygote.hello();
  const CoverageCorpus corpus(zygote.memory(), targets(hello, {}), options.limits);
  Workers workers(zygote, work_plan(options, hello, corpus));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  workers.start();
  while (!workers.are_under_way()) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    zygote.receive(std::chrono::milliseconds(5));
    ASSERT_TRUE(workers.poll().empty());
  }
  EXPECT_TRUE(workers.kill_hanging().empty());
  EXPECT_TRUE(workers.all_ended());
}

}  // namespace
}  // namespace indexfuzz
