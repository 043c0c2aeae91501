// Campaigns that observe which blocks of LibTorch they reach.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(NativeCoverageCommand, ShowsWhatWasReached) {
  const Scratch scratch;
  const std::string out = scratch / "o";
  const Ended ended = run({"fuzz", "index_select", "masked_fill", "--native-coverage", "--cases",
                           "6000", "--jobs", "2", "--seed", "3", "--no-verify", "--out", out});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nnative coverage: "));
  const auto summary = read_json(out + "/summary.json");
  EXPECT_GE(summary.at("cases"), 3000);
  EXPECT_EQ(summary.at("worker_deaths"), 0);
  const auto& native = summary.at("native_coverage");
  EXPECT_EQ(native.at("skipped_functions"), 0);
  EXPECT_GT(native.at("blocks_reached"), 500);
  EXPECT_LT(native.at("blocks_reached"), native.at("blocks_known"));
  EXPECT_LT(native.at("under_test").at("known"), native.at("blocks_known"));

  const Ended table = run({"coverage", "--all", out});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("less than half of their blocks reached\n"));
  EXPECT_THAT(table.out, HasSubstr("  index_select_out_cpu_dim1_\n"));
}

TEST(NativeCoverageCommand, TheTableNamesWhatIsBelowHalf) {
  const Scratch scratch;
  scratch.write("summary.json", R"({"format": 1, "native_coverage": {
      "blocks_known": 1009, "blocks_reached": 3, "under_test": {"known": 1006, "reached": 3},
      "functions": [
        {"name": "_scatter_via_index_put", "parts": 1, "entered": 0, "under_test": true,
         "known": 8, "reached": 0},
        {"name": "cpu_scatter_kernel", "parts": 2, "entered": 2, "under_test": true, "known": 3,
         "reached": 2},
        {"name": "put_kernel", "parts": 1, "entered": 0, "under_test": false, "known": 3,
         "reached": 0},
        {"name": "take_kernel", "parts": 9, "entered": 1, "under_test": true, "known": 1003,
         "reached": 1},
        {"name": "take_out", "parts": 1, "entered": 1, "under_test": true, "known": 5,
         "reached": 2}],
      "skipped_functions": 4}})");
  const Ended table = run({"coverage", scratch / "."});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(table.out,
            "native coverage: 3 of 1,009 blocks (0 %); of the operators tested 3 of 1,006 blocks "
            "(0 %)\n\n"
            "3 of 4 functions of the operators tested: less than half of their blocks reached\n"
            "  reached     known      %   entered  parts  function: why below half\n"
            "        1     1,003      0         1      9  take_kernel: 8 of its parts not entered\n"
            "        0         8      0         0      1  _scatter_via_index_put: taken on GPUs "
            "only, under the deterministic flag\n"
            "        2         5     40         1      1  take_out: branches that no case took\n\n"
            "1 function with 3 blocks is not under test; --all lists it\n\n"
            "4 pieces of code could not be disassembled and are not counted\n");
  const Ended all = run({"coverage", "--all", scratch / "."});
  EXPECT_THAT(all.out, HasSubstr("  cpu_scatter_kernel\n"));
  EXPECT_THAT(all.out, HasSubstr("  put_kernel\n"));
}

TEST(NativeCoverageCommand, LeavesFindingsAndTheirDeathsAsTheyAre) {
  const Scratch scratch;
  const Ended ended = run(fuzz_one("gather", "planted::gather_past_output", scratch / "o",
                                   {"--seed", "1", "--time", "30s", "--max-findings", "1", "--impl",
                                    "aten:cpu", "--native-coverage"}));
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].at("kind"), "memory");
  EXPECT_EQ(findings[0].at("implementation"), "planted::gather_past_output");
}

TEST(NativeCoverageCommand, SaysWhatIsMissing) {
  const Scratch scratch;
  const auto says = [&](const std::string& summary) {
    scratch.write("summary.json", summary);
    const Ended ended = run({"coverage", scratch / "."});
    EXPECT_EQ(ended.code, 1) << summary;
    EXPECT_THAT(ended.out, IsEmpty()) << summary;
    return ended.err;
  };
  const Ended none = run({"coverage", scratch / "none"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("holds no campaign: there is no summary.json in it"));
  EXPECT_THAT(says(""), HasSubstr("is not a JSON object"));
  EXPECT_THAT(says("[1]"), HasSubstr("is not a JSON object"));
  EXPECT_THAT(says(R"({"format": 2})"), HasSubstr("update it"));
  EXPECT_THAT(says(R"({"format": 1})"), HasSubstr("run the campaign with --native-coverage"));
  for (const char* native : {"3", "{}"}) {
    EXPECT_THAT(says(fmt::format(R"({{"format": 1, "native_coverage": {}}})", native)),
                HasSubstr("is damaged"));
  }
}

}  // namespace
}  // namespace indexfuzz
