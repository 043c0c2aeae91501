// What can be done with a finding once it is saved.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kKernel = "planted::index_select_zero_dim_shape";
constexpr const char* kCorrect = "correct::index_select_strided";

/// One campaign with one finding, its programs run, for all of these tests.
class SavedFinding : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = std::make_unique<Scratch>();
    Arguments arguments =
        fuzz_one("index_select", kKernel, *scratch_ / "o",
                 {"--seed", "1", "--time", "30s", "--max-findings", "1", "--dtypes", "float32"});
    std::erase(arguments, "--no-verify");
    run(arguments);
    const auto findings = read_json(*scratch_ / "o/summary.json").at("findings");
    if (!findings.empty()) finding_ = findings[0];
  }
  static void TearDownTestSuite() { scratch_.reset(); }
  void SetUp() override { ASSERT_FALSE(finding_.is_null()) << "the campaign found nothing"; }

  static std::string file(const std::string& name) {
    return *scratch_ / ("o/findings/" + finding_.at("id").get<std::string>() + "/" + name);
  }
  static Arguments on(const std::string& kernel, Arguments arguments) {
    arguments.insert(arguments.end(), {"--load", planted_library(), "--impl", kernel});
    return arguments;
  }
  static std::string ledger(const std::string& signature) {
    return scratch_->write("ledger.toml", ledger_entry(signature, file("minimal.case")));
  }

  static inline std::unique_ptr<Scratch> scratch_;
  static inline nlohmann::json finding_;
};

TEST_F(SavedFinding, FailsWithoutIndexfuzz) {
  EXPECT_EQ(finding_.at("repro_py_verified"), true);
  EXPECT_EQ(finding_.at("repro_cpp_verified"), true);
}

TEST(UnwrittenResult, FailsInProgramsWhereZeroIsRight) {
  const Scratch scratch;
  Arguments arguments =
      fuzz_one("embedding_bag", "planted::embedding_bag_empty_max_unwritten", scratch / "o",
               {"--seed", "1", "--time", "30s", "--max-findings", "1"});
  std::erase(arguments, "--no-verify");
  run(arguments);
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].at("repro_py_verified"), true);
  EXPECT_EQ(findings[0].at("repro_cpp_verified"), true);
}

TEST(Signature, NamesTheDtypeAlsoWhereNoOtherIsDrawn) {
  const Scratch scratch;
  run(fuzz_one("index_select", "planted::index_select_int_through_double", scratch / "o",
               {"--seed", "1", "--time", "30s", "--max-findings", "1", "--dtypes", "int64"}));
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].at("signature").get<std::string>(), HasSubstr("self is int64"));
}

TEST_F(SavedFinding, FailsAgainInReplay) {
  const Ended ended = run(on(kKernel, {"replay", file("minimal.case"), "--no-ledger"}));
  EXPECT_EQ(ended.code, 77) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(finding_.at("signature").get<std::string>()));
}

TEST_F(SavedFinding, PassesInReplayOnceItIsKnown) {
  const std::string known = ledger(finding_.at("signature"));
  const Ended ended = run(on(kKernel, {"replay", file("minimal.case"), "--ledger", known}));
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("known"));
}

TEST_F(SavedFinding, IsReportedOnceItIsFixed) {
  std::string signature = finding_.at("signature");
  signature.replace(signature.find(kKernel), std::string(kKernel).size(), kCorrect);
  const Ended ended =
      run(on(kCorrect, {"replay", file("minimal.case"), "--ledger", ledger(signature)}));
  EXPECT_EQ(ended.code, 77) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("fixed"));
}

TEST_F(SavedFinding, IsNoFailureOfACorrectKernel) {
  EXPECT_EQ(run(on(kCorrect, {"replay", file("minimal.case"), "--no-ledger"})).code, 0);
}

TEST_F(SavedFinding, DoesNotStopACampaignThatKnowsIt) {
  Arguments arguments = fuzz_one("index_select", kKernel, *scratch_ / "again",
                                 {"--seed", "1", "--cases", "20000", "--dtypes", "float32",
                                  "--ledger", ledger(finding_.at("signature"))});
  std::erase(arguments, "--no-ledger");
  run(arguments);
  const auto summary = read_json(*scratch_ / "again/summary.json");
  const auto& findings = summary.at("findings");
  const auto known = std::ranges::find_if(
      findings, [](const auto& finding) { return finding.at("id") == finding_.at("id"); });
  ASSERT_NE(known, findings.end());
  EXPECT_EQ(known->at("known"), true);
  // Only its own case was run again, and its like was rare from the start.
  EXPECT_EQ(known->at("reruns"), "1/1");
  EXPECT_EQ(read_text(*scratch_ / ("again/" + known->at("case").get<std::string>())),
            read_text(file("minimal.case")));
  EXPECT_GT(summary.at("steered").at("cases"), 0);
}

TEST_F(SavedFinding, IsNotTakenForKnownByACaseThatDoesNotFail) {
  const std::string other = scratch_->write(
      "other.case", read_text(std::filesystem::path(config::kCorpusDir) /
                              "regressions/take_along_dim_index_below_functional.case"));
  const std::string ledger =
      scratch_->write("other.toml", ledger_entry(finding_.at("signature"), other));
  Arguments arguments =
      fuzz_one("index_select", kKernel, *scratch_ / "full",
               {"--seed", "1", "--cases", "2000", "--dtypes", "float32", "--ledger", ledger});
  std::erase(arguments, "--no-ledger");
  run(arguments);
  const auto summary = read_json(*scratch_ / "full/summary.json");
  const auto& findings = summary.at("findings");
  const auto listed = std::ranges::find_if(
      findings, [](const auto& finding) { return finding.at("id") == finding_.at("id"); });
  ASSERT_NE(listed, findings.end());
  EXPECT_EQ(listed->at("reruns"), "10/10");
  EXPECT_EQ(listed->at("known"), true) << "its signature is listed";
}

TEST_F(SavedFinding, ShrinksToTheSameCase) {
  const std::string small = *scratch_ / "small.case";
  const Ended ended = run(on(kKernel, {"shrink", file("original.case"), "-o", small}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read_text(small), read_text(file("minimal.case")));
}

TEST_F(SavedFinding, IsExported) {
  const Ended py = run(on(kKernel, {"export", file("minimal.case"), "--as", "py"}));
  EXPECT_EQ(py.code, 0) << py.err;
  EXPECT_THAT(py.out, HasSubstr("import torch"));
  const Ended cpp = run(on(kKernel, {"export", file("minimal.case"), "--as", "cpp"}));
  EXPECT_THAT(cpp.out, HasSubstr("int main("));
  const Ended issue = run(on(kKernel, {"export", file("minimal.case"), "--as", "issue"}));
  EXPECT_THAT(issue.out, HasSubstr("torch"));
}

TEST_F(SavedFinding, IsNoIssueOfAKernelThatAgrees) {
  const auto exported = [this](const char* form) {
    return run({"export", file("minimal.case"), "--impl", "aten:cpu", "--as", form});
  };
  const Ended issue = exported("issue");
  EXPECT_EQ(issue.code, 1);
  EXPECT_THAT(issue.err, HasSubstr("aten:cpu agrees with the oracle: there is nothing to report."));
  EXPECT_EQ(issue.out, "");
  const Ended py = exported("py");
  EXPECT_EQ(py.code, 0);
  EXPECT_THAT(py.err, HasSubstr("aten:cpu agrees with the oracle, so what is written will pass."));
}

TEST_F(SavedFinding, IsShownInWords) {
  const Ended ended = run(on(kKernel, {"show", file("minimal.case")}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("index_select"));
  EXPECT_THAT(ended.out, HasSubstr(std::string(kKernel) + " FAILS"));
  EXPECT_THAT(ended.out, HasSubstr("\n    returned float32 ("));
}

std::vector<std::string> names_in(const Ended& ended) {
  std::vector<std::string> names;
  for (const auto& row : nlohmann::json::parse(ended.out)) names.push_back(row.at("name"));
  return names;
}

TEST(List, NamesWhatThereIs) {
  EXPECT_THAT(names_in(run({"list", "operators", "--json"})), Contains("scatter_add"));
  EXPECT_THAT(names_in(run({"list", "dtypes", "--json"})), Contains("bfloat16"));
  EXPECT_THAT(names_in(run({"list", "implementations", "--json"})), Contains("aten:cpu"));
  EXPECT_THAT(names_in(run({"list", "implementations", "--json", "--load", planted_library(),
                            "--impl", kKernel})),
              Contains(kKernel));
}

TEST(WithdrawnFinding, DoesNotCountAmongThoseThatEndACampaign) {
  const Scratch scratch;
  // Every Python program of this one says that the result is right, and the composite has no other.
  const std::string python =
      scratch.write("python", std::string("#!/bin/sh\n[ \"$1\" = -c ] && echo ") +
                                  config::kTorchVersion + "\nexit 0\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const Ended ended = run({"fuzz", "index_select", "--impl", "form:index_select_as_gather",
                           "--no-ledger", "--max-findings", "1", "--cases", "20000", "--seed", "1",
                           "--jobs", "1", "--python", python, "--out", scratch / "o"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("withdrawn findings/"));
  const auto summary = read_json(scratch / "o/summary.json");
  ASSERT_FALSE(summary.at("findings").empty());
  for (const auto& finding : summary.at("findings")) {
    EXPECT_TRUE(finding.at("withdrawn"));
    const std::string id = finding.at("id");
    EXPECT_THAT(read_text(scratch / ("o/findings/" + id + "/issue.md")),
                testing::StartsWith("**WITHDRAWN**: repro.py "));
  }
  EXPECT_EQ(summary.at("engines").at("property").at("cases"), 20'000);
}

}  // namespace
}  // namespace indexfuzz
