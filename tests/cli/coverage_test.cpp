// The coverage engine through the command line, and the libFuzzer targets beside it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "campaign/workers/subprocess.h"
#include "command.h"
#include "indexfuzz_config.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Where libFuzzer is not linked in, the engine says so; there is nothing else to see then.
class Coverage : public testing::Test {
 protected:
  void SetUp() override {
    if (run({"doctor"}).out.find("--engine coverage") == std::string::npos) {
      GTEST_SKIP() << "this build has no libFuzzer";
    }
  }
  const Scratch scratch;
};

std::size_t files_in(const fs::path& folder) {
  std::error_code error;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder, error), {}));
}

TEST_F(Coverage, FindsAPlantedBugAndKeepsWhatReachedSomethingNew) {
  const Ended ended = run(
      fuzz_one("index_select", "planted::index_select_stride_as_size", scratch / "o",
               {"--engine", "coverage", "--seed", "1", "--time", "30s", "--max-findings", "1"}));
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  ASSERT_THAT(summary.at("findings"), SizeIs(1));
  EXPECT_EQ(summary.at("findings")[0].at("reruns"), "10/10");
  EXPECT_EQ(summary.at("engines").at("property").at("cases"), 0);
  EXPECT_GT(summary.at("engines").at("coverage").at("cases"), 0);
  const std::string id = summary.at("findings")[0].at("id");
  EXPECT_EQ(read_json(scratch / ("o/findings/" + id + "/finding.json")).at("found_by").at("engine"),
            "coverage");
}

TEST_F(Coverage, ChangesPlainBytesWhereAskedTo) {
  const Ended ended =
      run({"fuzz", "index_select", "--engine", "random", "--cases", "20000", "--jobs", "1",
           "--seed", "1", "--impl", "aten:cpu", "--out", scratch / "o"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_EQ(summary.at("engines").at("coverage").at("cases"), 20'000);
  EXPECT_GT(summary.at("cases"), 2000);
  EXPECT_GT(summary.at("engines").at("coverage").at("corpus"), 0);
}

TEST_F(Coverage, KnownFailuresBecomeRare) {
  const std::string kernel = "planted::index_select_stride_as_size";
  run(fuzz_one("index_select", kernel, scratch / "o",
               {"--engine", "coverage", "--seed", "3", "--cases", "120000"}));
  const auto summary = read_json(scratch / "o/summary.json");
  const auto pair = summary.at("implementations").at(kernel).at("index_select");
  EXPECT_GT(pair.at("steered"), 1000);
  // Each of its findings may have 1 %, and what failed before it was found, which is more on a slow
  // machine: of so many cases it is little on any.
  EXPECT_LT(pair.at("findings").get<double>(), 0.1 * pair.at("agreed").get<double>());
}

TEST_F(Coverage, BlamesTheCaseThatAWorkerDiedOfAndGoesOn) {
  const Ended ended =
      run(fuzz_one("index_select", "planted::index_select_empty_index_crash", scratch / "o",
                   {"--engine", "coverage", "--seed", "1", "--cases", "6000", "--no-steering"}));
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  ASSERT_THAT(summary.at("findings"), SizeIs(1));
  EXPECT_EQ(summary.at("findings")[0].at("kind"), "crash");
  EXPECT_GT(summary.at("worker_deaths"), 1);
  EXPECT_EQ(summary.at("engines").at("coverage").at("cases"), 6000);
}

TEST_F(Coverage, ACorrectKernelRaisesNoAlarmAndTheCorpusGrowsOverCampaigns) {
  const auto campaign = [&](const char* cases) {
    return run(fuzz_one("gather", "correct::gather_column_major", scratch / "o",
                        {"--engine", "coverage", "--seed", "2", "--cases", cases}));
  };
  const Ended first = campaign("20000");
  EXPECT_EQ(first.code, 0) << first.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_THAT(summary.at("findings"), IsEmpty());
  EXPECT_GE(summary.at("cases"), 10000);
  EXPECT_EQ(summary.at("engines").at("coverage").at("cases"), 20000);
  const std::size_t kept = files_in(scratch / "o/corpus/gather");
  EXPECT_EQ(summary.at("engines").at("coverage").at("corpus"), kept);
  EXPECT_GT(kept, 100u);
  // Each file is a case like any other.
  const Ended replayed = run({"replay", scratch / "o/corpus", "--load", planted_library(), "--impl",
                              "correct::gather_column_major", "--no-ledger"});
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;

  const Ended second = campaign("20000");
  EXPECT_EQ(second.code, 0) << second.err;
  const std::uint64_t found =
      read_json(scratch / "o/summary.json").at("engines").at("coverage").at("corpus");
  EXPECT_LT(found, kept) << "it began with what the first one kept";
  EXPECT_EQ(files_in(scratch / "o/corpus/gather"), kept + found);
}

TEST_F(Coverage, BothEnginesShareTheWorkers) {
  for (const char* jobs : {"1", "3"}) {
    const std::string out = scratch / (std::string("o") + jobs);
    auto arguments = fuzz_one("gather", "correct::gather_strided", out,
                              {"--engine", "both", "--seed", "1", "--cases", "60000"});
    *(std::ranges::find(arguments, "--jobs") + 1) = jobs;
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto engines = read_json(out + "/summary.json").at("engines");
    const std::uint64_t property = engines.at("property").at("cases"),
                        coverage = engines.at("coverage").at("cases");
    EXPECT_EQ(property + coverage, 60000);
    EXPECT_GE(property, 20000);
    EXPECT_GE(coverage, 20000);
  }
}

TEST_F(Coverage, FlagsReachLibFuzzer) {
  const Ended good = run(fuzz_one(
      "gather", "correct::gather_strided", scratch / "good",
      {"--engine", "coverage", "--cases", "3000", "--", "-mutate_depth=2", "-entropic=1"}));
  EXPECT_EQ(good.code, 0) << good.err;
  const Ended bad = run(fuzz_one(
      "gather", "correct::gather_strided", scratch / "bad",
      {"--engine", "coverage", "--cases", "3000", "--", "-artifact_prefix=/nowhere/deep/"}));
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("-artifact_prefix=/nowhere/deep/"));
}

Ended run_program(const Arguments& command) {
  Subprocess process(command, std::chrono::minutes(2));
  return run(process);
}

std::string built(const std::string& name) {
  return std::string(config::kBuildDir) + "/" + name;
}

TEST(FuzzTarget, EveryOperatorHasOneWithItsSeeds) {
  for (const OperatorInfo* row : operators()) {
    const std::string program = built(std::string(row->name) + "_fuzzer");
    EXPECT_TRUE(fs::exists(program)) << program;
    EXPECT_FALSE(fs::is_empty(program + "_seed_corpus")) << program;
    EXPECT_TRUE(fs::exists(program + ".options")) << program;
  }
}

TEST(FuzzTarget, IsNamedAfterAnOperator) {
  const Scratch scratch;
  const fs::path other = scratch / "gatherer_fuzzer";
  fs::create_symlink(built("gather_replay"), other);
  const Ended ended = run_program({other});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("gatherer_fuzzer"));
}

TEST(FuzzTarget, TheReplayMainRunsTheSeedCorpus) {
  const Ended ended = run_program({built("gather_replay"), built("gather_fuzzer_seed_corpus")});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("gather_fuzzer_seed_corpus/"));
}

TEST(FuzzTarget, AnyBytesAreTaken) {
  const Scratch scratch;
  std::string bytes;
  for (int i = 0; i < 3000; ++i) bytes += static_cast<char>(i * 37 ^ i >> 3);
  const Ended ended = run_program({built("gather_replay"), scratch.write("bytes", bytes),
                                   scratch.write("empty", ""),
                                   scratch.write("torn", "indexfuzz case 1\ngather func")});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(run_program({built("gather_replay"), scratch / "nowhere"}).code, 1);
}

TEST(FuzzTarget, PassesOverWhatTheLedgerKnows) {
  const fs::path regressions = fs::path(config::kCorpusDir) / "regressions";
  const Ended ended =
      run_program({built("gather_replay"), regressions / "gather_expanded_int32_functional.case"});
  EXPECT_EQ(ended.code, 0) << ended.out;
}

TEST(FuzzTarget, RunsUnderLibFuzzer) {
  const Ended ended = run_program(
      {built("gather_fuzzer"), "-runs=2000", "-seed=1", built("gather_fuzzer_seed_corpus")});
  EXPECT_EQ(ended.code, 0) << ended.out;
}

}  // namespace
}  // namespace indexfuzz
