#include "campaign/workers/workers.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>

#include "../cli/command.h"
#include "campaign/examine/silenced_failures.h"
#include "campaign/failure.h"
#include "campaign/workers/work_plan.h"
#include "scripted_worker.h"

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
  SilencedFailures silenced(zygote.memory().silenced);
  std::optional<Suspect> first;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  workers.start();
  while (workers.cases(Engine::kCoverage) == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    zygote.receive(std::chrono::milliseconds(5));
    for (Suspect& suspect : workers.poll()) {
      const std::string& name = hello.implementations[suspect.implementation].name;
      silenced.add(shrink_key(suspect.c, suspect.verdict, name), {});
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

/// A zygote whose children end at once.
WorkerCommand ends_its_children(const Scratch& scratch, int wait_status) {
  return script(scratch, say_hello() +
                             "while test \"$(dd bs=12 count=1 <&3 2>/dev/null | od)\"; do\n" +
                             say(Message::Type::kEnded, 0, std::to_string(wait_status)) + "done");
}

void write_hello_of_both_engines(SharedMemory& memory) {
  write_hello(memory,
              R"({"torch": "2.11.0", "libfuzzer": true, "implementations": [{"name": "aten:cpu",
                 "forms": [{"operator": "index_select", "variant": "functional"}]}]})");
}

TEST(Workers, TheCaseThatEndedAWorkerCountsAfterAllAreKilled) {
  const Scratch scratch;
  CampaignOptions options;
  options.engines = Engines::kCoverage;
  ZygoteClient zygote(ends_its_children(scratch, SIGKILL), 1);
  write_hello_of_both_engines(zygote.memory());
  const CoverageCorpus corpus(zygote.memory(), targets(zygote.hello(), {}), options.limits);
  Workers workers(zygote, work_plan(options, zygote.hello(), corpus));
  workers.start();
  std::size_t failures = 0;
  for (const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
       failures == 0 && std::chrono::steady_clock::now() < limit;) {
    zygote.receive(std::chrono::milliseconds(100));
    failures = workers.poll().size();
  }
  ASSERT_EQ(failures, 1U);
  workers.kill();
  EXPECT_EQ(workers.cases(Engine::kCoverage), 1U);
}

/// Lets the coverage engine's worker end four times before its first case; the failures.
int failures_before_the_first_case(int wait_status) {
  const Scratch scratch;
  CampaignOptions options;
  options.engines = Engines::kCoverage;
  ZygoteClient zygote(ends_its_children(scratch, wait_status), 1);
  write_hello_of_both_engines(zygote.memory());
  const CoverageCorpus corpus(zygote.memory(), targets(zygote.hello(), {}), options.limits);
  Workers workers(zygote, work_plan(options, zygote.hello(), corpus));
  int failures = 0;
  workers.start();
  for (const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
       failures < 4 && std::chrono::steady_clock::now() < limit;) {
    zygote.receive(std::chrono::milliseconds(100));
    for (const Suspect& suspect : workers.poll()) {
      ++failures;
      EXPECT_EQ(suspect.verdict.kind, Kind::kOom);
      workers.resume(suspect.worker, suspect.case_number + 1);
    }
  }
  return failures;
}

TEST(Workers, OnlyWhatEndsByItselfBeforeItsFirstCaseTellsOfABadFlag) {
  EXPECT_EQ(failures_before_the_first_case(SIGKILL), 4);
  EXPECT_THROW(failures_before_the_first_case(1 << 8), SetupError);
}

}  // namespace
}  // namespace indexfuzz
