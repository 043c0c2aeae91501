#include "campaign/store/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include "../cli/command.h"
#include "campaign/counts/native_totals.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using testing::HasSubstr;

const std::map<std::string, std::string> kFiles{{"minimal.case", "a case\n"},
                                                {"finding.json", "{}\n"}};

ordered_json summary(std::uint64_t cases, int code, const ordered_json& findings) {
  return {{"format", 1},
          {"state", "done"},
          {"seconds", 10.0},
          {"cases", cases},
          {"cases_per_second", 100.0},
          {"exit_code", code},
          {"reasons", code == 77 ? ordered_json({"new"}) : ordered_json::array()},
          {"seed", cases},
          {"torch", "2.11.0"},
          {"mix", {{"drawn", cases}, {"empty", cases == 100 ? 0.1 : 0.5}}},
          {"implementations", {{"aten:cpu", {{"gather", {{"agreed", cases}, {"refused", 1}}}}}}},
          {"findings", findings},
          {"steered", {{"cases", cases / 2}, {"share", 0.5}}},
          {"unconfirmed", 1},
          {"unlocated", 3},
          {"unexamined", 5},
          {"elusive", 7},
          {"untracked", 9},
          {"cut_off", 11},
          {"unverified", {"gather", cases == 100 ? "take" : "put"}},
          {"worker_deaths", 2}};
}

ordered_json row(const char* id, double seconds, bool known) {
  return {{"id", id}, {"first_seconds", seconds}, {"known", known}};
}

TEST(MergeSummaries, AddsUp) {
  const std::vector<Summary> shards{
      parse_summary(summary(100, 0, ordered_json::array({row("a", 5, true)})).dump(), "x"),
      parse_summary(
          summary(300, 77, ordered_json::array({row("a", 3, false), row("b", 4, false)})).dump(),
          "y")};
  const ordered_json all = merge_summaries(shards);
  EXPECT_EQ(all.at("cases"), 400);
  EXPECT_EQ(all.at("cases_per_second"), 200.0);
  EXPECT_EQ(all.at("seconds"), 10.0);
  EXPECT_EQ(all.at("exit_code"), 77);
  EXPECT_EQ(all.at("reasons"), ordered_json({"new"}));
  EXPECT_EQ(all.at("seeds"), ordered_json({100, 300}));
  EXPECT_EQ(all.at("torch"), "2.11.0");
  EXPECT_EQ(all.at("mix").at("empty"), 0.4);
  EXPECT_EQ(all.at("mix").at("drawn"), 400);
  EXPECT_EQ(all.at("implementations").at("aten:cpu").at("gather"),
            ordered_json({{"agreed", 400}, {"refused", 2}}));
  EXPECT_EQ(all.at("steered").at("cases"), 200);
  EXPECT_EQ(all.at("unlocated"), 6);
  EXPECT_EQ(all.at("unexamined"), 10);
  EXPECT_EQ(all.at("elusive"), 14);
  EXPECT_EQ(all.at("untracked"), 18);
  EXPECT_EQ(all.at("cut_off"), 22);
  EXPECT_EQ(all.at("unverified"), ordered_json({"gather", "put", "take"}));
  EXPECT_EQ(all.at("steered").at("share"), 0.5);
  ASSERT_EQ(all.at("findings").size(), 2u);
  EXPECT_EQ(all.at("findings")[0].at("id"), "a");
  EXPECT_EQ(all.at("findings")[0].at("first_seconds"), 3.0);
  EXPECT_EQ(all.at("findings")[0].at("known"), false) << "one ledger does not know it";
  EXPECT_EQ(parse_summary(all.dump(), "all").findings.size(), 2u) << "it can be merged again";
}

TEST(MergeSummaries, OfEachFunctionTheBlocksOfWhoReachedMost) {
  const auto with_native = [](std::uint64_t gather, std::uint64_t take) {
    NativeTotals totals;
    totals.functions = {{"gather", 1, 1, true, {10, gather}}, {"take", 1, 0, false, {5, take}}};
    count_blocks(totals);
    ordered_json json = summary(100, 0, ordered_json::array());
    json["native_coverage"] = native_json(totals);
    return parse_summary(json.dump(), "x");
  };
  Summary foreign = with_native(10, 5);
  foreign.json["native_coverage"] = {{"blocks_known", "many"}};
  const std::vector<Summary> shards{with_native(4, 2), foreign, with_native(3, 5)};
  const NativeTotals all = parse_native(merge_summaries(shards).at("native_coverage"));
  ASSERT_EQ(all.functions.size(), 2u);
  EXPECT_EQ(all.blocks.known, 15u);
  EXPECT_EQ(all.blocks.reached, 9u);
  EXPECT_EQ(all.under_test.reached, 4u);
  EXPECT_FALSE(merge_summaries(std::vector<Summary>{foreign}).contains("native_coverage"));
}

TEST(MergeSummaries, AFindingIsVerifiedWhereItWasInAnyShard) {
  ordered_json withdrawn = row("a", 3, false), verified = row("a", 5, false);
  withdrawn.update({{"withdrawn", true}, {"repro_py_verified", false}});
  verified.update({{"withdrawn", false}, {"repro_py_verified", true}});
  const std::vector<Summary> shards{
      parse_summary(summary(1, 3, ordered_json::array({withdrawn})).dump(), "x"),
      parse_summary(summary(2, 77, ordered_json::array({verified})).dump(), "y")};
  const ordered_json finding = merge_summaries(shards).at("findings").at(0);
  EXPECT_EQ(finding.at("first_seconds"), 3.0);
  EXPECT_EQ(finding.at("withdrawn"), false);
  EXPECT_EQ(finding.at("repro_py_verified"), true);
}

struct End {
  int code;
  std::vector<std::string> reasons;
};

int merged_code(const std::vector<End>& ends) {
  std::vector<Summary> shards;
  for (const End& end : ends) {
    ordered_json json = summary(100, end.code, ordered_json::array());
    json["reasons"] = end.reasons;
    shards.push_back(parse_summary(json.dump(), "x"));
  }
  return merge_summaries(shards).at("exit_code");
}

TEST(MergeSummaries, TheWorstReasonOfAllCounts) {
  EXPECT_EQ(merged_code({{0, {}}, {0, {}}}), 0);
  EXPECT_EQ(merged_code({{72, {"interrupted"}}, {3, {"inconclusive"}}}), 3);
  EXPECT_EQ(merged_code({{77, {"new", "inconclusive"}}, {75, {"storage", "new"}}}), 75);
  EXPECT_EQ(merged_code({{69, {"device"}}, {0, {"a reason of tomorrow"}}}), 69);
}

TEST(MergeSummaries, AFindingKeepsItsOwnExitCode) {
  EXPECT_EQ(merged_code({{5, {"new"}}, {3, {"inconclusive"}}}), 5);
  EXPECT_EQ(merged_code({{1, {"setup"}}, {5, {"new", "interrupted"}}}), 5);
  EXPECT_EQ(merged_code({{5, {"fixed"}}, {75, {"storage"}}}), 75);
}

TEST(MergeFolder, KeepsEachFindingAndInputOnce) {
  const Scratch scratch;
  for (const char* name : {"x", "y"}) {
    Store shard(scratch / name);
    shard.save_finding("both", kFiles);
    shard.save_finding(std::string("only_") + name, kFiles);
    shard.save_corpus("gather", "both.case", "1\n");
    shard.save_corpus("gather", std::string(name) + ".case", "2\n");
  }
  Store all(scratch / "all");
  Merged merged;
  merge_folder(scratch / "x", all, merged);
  merge_folder(scratch / "y", all, merged);
  EXPECT_EQ(merged.findings, 3u);
  EXPECT_EQ(merged.known_ids, 1u);
  EXPECT_EQ(merged.inputs, 3u);
  EXPECT_EQ(merged.same_inputs, 1u);
  EXPECT_EQ(merged.aside, 0u);
  for (const char* file : {"findings/both/minimal.case", "findings/only_x/finding.json",
                           "corpus/gather/x.case", "corpus/gather/both.case"}) {
    EXPECT_TRUE(fs::exists(scratch / (std::string("all/") + file))) << file;
  }
}

TEST(MergeFolder, FollowsNothingOutOfAHostileOne) {
  const Scratch scratch;
  { Store shard(scratch / "x"); }
  fs::create_symlink("/etc", scratch / "x/findings/abc");
  fs::create_directories(scratch / "x/findings/def");
  fs::create_symlink("/etc/passwd", scratch / "x/findings/def/finding.json");
  fs::create_directories(scratch / "x/corpus/gather");
  fs::create_symlink("/etc", scratch / "x/corpus/etc");
  fs::create_symlink("/etc/passwd", scratch / "x/corpus/gather/link.case");
  ASSERT_EQ(mkfifo((scratch / "x/corpus/gather/fifo.case").c_str(), 0600), 0);
  Store all(scratch / "all");
  Merged merged;
  merge_folder(scratch / "x", all, merged);
  EXPECT_EQ(merged.findings + merged.inputs, 0u);
  EXPECT_EQ(merged.aside, 6u);
  EXPECT_TRUE(fs::is_empty(scratch / "all/findings"));
}

TEST(MergeFolder, TakesCaseFilesAloneFromACorpus) {
  const Scratch scratch;
  Store(scratch / "x").save_corpus("gather", "a.case", "1\n");
  scratch.write("x/corpus/gather/b.case.new", "torn");
  scratch.write("x/corpus/gather/notes.txt", "mine");
  Store all(scratch / "all");
  Merged merged;
  merge_folder(scratch / "x", all, merged);
  EXPECT_EQ(merged.inputs, 1u);
  EXPECT_EQ(merged.aside, 2u);
  EXPECT_FALSE(fs::exists(scratch / "all/corpus/gather/b.case.new"));
  EXPECT_FALSE(fs::exists(scratch / "all/corpus/gather/notes.txt"));
}

std::string error_of(const std::string& text) {
  try {
    parse_summary(text, "s.json");
  } catch (const SetupError& error) {
    return error.what();
  }
  return "";
}

TEST(SummaryFile, SaysWhatItCannotRead) {
  EXPECT_THAT(error_of("{\"format\": 2}"), HasSubstr("format 2, this indexfuzz reads format 1"));
  EXPECT_THAT(error_of("{}"), HasSubstr("format 0"));
  EXPECT_THAT(error_of("{\"format\": 1, \"cases\": \"many\"}"), HasSubstr("damaged"));
  EXPECT_THAT(error_of("{\"format\": 1, \"findings\": [1]}"), HasSubstr("damaged"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of("{\"format\": 1"), HasSubstr("not a JSON object"));
  EXPECT_EQ(error_of("{\"format\": 1}"), "");
}

}  // namespace
}  // namespace indexfuzz
