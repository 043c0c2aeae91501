// Campaigns against kernels with a known defect and without one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "command.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

class Planted : public testing::TestWithParam<const char*> {};

TEST_P(Planted, IsCaughtAsWhatItIs) {
  const PlantedKernel kernel = catalogued(GetParam());
  const Scratch scratch;
  const Ended ended = run(fuzz_one(kernel.op, kernel.name, scratch / "o",
                                   {"--seed", "1", "--time", "30s", "--max-findings", "1"}));
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1));
  const std::string kind = findings[0].at("kind");
  EXPECT_THAT(kernel.kinds, Contains(kind));
  EXPECT_EQ(findings[0].at("reruns"), "10/10");
  EXPECT_LE(findings[0].at("elements").get<std::int64_t>(), 2 * declared_elements(kernel, kind));
  EXPECT_THAT(ended.err, HasSubstr("saved findings/" + findings[0].at("id").get<std::string>()));
  // A wrong shape or dtype, or what was written to, is told at once.
  if (kind == "metadata") {
    EXPECT_THAT(ended.err, HasSubstr("): the result has "));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Command, Planted,
    testing::Values(
        "planted::index_select_stride_as_size", "planted::index_select_bound_off_by_one",
        "planted::index_select_zero_dim_shape", "planted::gather_int32_index_as_int64",
        "planted::gather_past_output", "planted::gather_sorts_index",
        "planted::gather_rank5_assert", "planted::scatter_add_duplicate_lost_",
        "planted::index_put_mask_on_last_dimension", "planted::index_put_out_offset_ignored.out",
        "gradient:planted::gather_gradient_contiguous", "vmap:planted::gather_vmap_batch_in_front",
        "planted::gather_meta_shape_of_self@meta"),
    test_name);

class Correct : public testing::TestWithParam<const char*> {};

TEST_P(Correct, RaisesNoAlarm) {
  const PlantedKernel kernel = catalogued(GetParam());
  const Scratch scratch;
  const Ended ended =
      run(fuzz_one(kernel.op, kernel.name, scratch / "o", {"--seed", "2", "--cases", "25000"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_THAT(summary.at("findings"), IsEmpty());
  EXPECT_EQ(summary.at("unconfirmed"), 0);
  EXPECT_GE(summary.at("cases"), 10000);
}

INSTANTIATE_TEST_SUITE_P(
    Command, Correct,
    testing::Values("correct::index_select_contiguous_only", "correct::gather_column_major",
                    "correct::scatter_add_reverse_order", "correct::index_put_first_wins",
                    "vmap:correct::gather_with_rule", "correct::gather_with_meta@meta"),
    test_name);

/// What a campaign with two failing kernels found, with the files of each finding.
std::string found_with_seed(const std::string& seed) {
  const Scratch scratch;
  run(fuzz_one(
      "index_put", "planted::index_put_duplicate_lost", scratch / "o",
      {"--impl", "planted::index_put_values_from_left", "--seed", seed, "--cases", "1000"}));
  const auto summary = read_json(scratch / "o/summary.json");
  std::string all;
  for (auto finding : summary.at("findings")) {
    const std::string folder = scratch / "o/findings/" + finding.at("id").get<std::string>();
    finding.erase("first_seconds");
    all += finding.dump() + "\n" + read_text(folder + "/original.case") +
           read_text(folder + "/minimal.case");
  }
  return all;
}

TEST(Seed, DecidesCasesAndFindings) {
  const std::string once = found_with_seed("5");
  EXPECT_THAT(once, HasSubstr("index_put_duplicate_lost"));
  EXPECT_EQ(once, found_with_seed("5"));
  EXPECT_NE(once, found_with_seed("6"));
}

TEST(Steering, KnownFailuresBecomeRareAndAreCounted) {
  const std::string kernel = "planted::index_select_stride_as_size";
  const auto pair_of = [&](const Scratch& scratch) {
    run(fuzz_one("index_select", kernel, scratch / "o", {"--seed", "3", "--cases", "40000"}));
    return read_json(scratch / "o/summary.json");
  };
  const Scratch once, again;
  const auto summary = pair_of(once);
  const auto pair = summary.at("implementations").at(kernel).at("index_select");
  const std::uint64_t steered = summary.at("steered").at("cases");
  EXPECT_EQ(steered, pair.at("steered"));
  EXPECT_GT(steered, 4000) << "a third of all cases carry the traits of what fails";
  EXPECT_GT(summary.at("steered").at("share"), 0.1);
  EXPECT_LT(pair.at("findings").get<double>(), 0.05 * pair.at("agreed").get<double>());
  EXPECT_EQ(pair, pair_of(again).at("implementations").at(kernel).at("index_select"));
}

TEST(Steering, AFailureOfTheLedgerThatEveryCaseMayHaveTurnsNoneAway) {
  const Scratch scratch;
  const auto summary_with = [&](const std::string& ledger, const std::string& out) {
    run({"fuzz", "gather", "--load", planted_library(), "--impl", "planted::gather_past_output",
         "--jobs", "1", "--no-verify", "--seed", "3", "--cases", "3000", "--ledger", ledger,
         "--out", scratch / out});
    return read_json(scratch / (out + "/summary.json"));
  };
  const auto first = summary_with(scratch.write("none.toml", ""), "a").at("findings").at(0);
  const std::string signature = first.at("signature");
  ASSERT_THAT(signature, Not(HasSubstr("; when")));
  const std::string ledger =
      scratch.write("l.toml", ledger_entry(signature, "a/" + first.at("case").get<std::string>()));
  const auto again = summary_with(ledger, "b");
  EXPECT_EQ(again.at("findings").at(0).at("known"), true);
  EXPECT_EQ(again.at("steered").at("cases"), 0);
}

TEST(Crash, IsAFindingAndTheCampaignGoesOn) {
  const Scratch scratch;
  const Ended ended =
      run(fuzz_one("index_select", "planted::index_select_empty_index_crash", scratch / "o",
                   {"--seed", "1", "--cases", "4000", "--no-steering"}));
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_EQ(summary.at("state"), "done");
  ASSERT_THAT(summary.at("findings"), SizeIs(1));
  EXPECT_EQ(summary.at("findings")[0].at("kind"), "crash");
  EXPECT_GT(summary.at("worker_deaths"), 1);
  EXPECT_GT(summary.at("mix").at("drawn"), 3900);
}

TEST(Summary, HasEveryField) {
  const Scratch scratch;
  run(fuzz_one("gather", "planted::gather_past_output", scratch / "o",
               {"--seed", "7", "--cases", "2000"}));
  const auto summary = read_json(scratch / "o/summary.json");
  for (const char* field :
       {"format", "state", "seconds", "cases", "cases_per_second", "exit_code", "reasons", "seed",
        "torch", "mix", "implementations", "findings", "steered"}) {
    EXPECT_TRUE(summary.contains(field)) << field;
  }
  EXPECT_EQ(summary.at("format"), 1);
  EXPECT_EQ(summary.at("state"), "done");
  EXPECT_EQ(summary.at("exit_code"), 77);
  EXPECT_EQ(summary.at("reasons"), nlohmann::json({"new"}));
  EXPECT_EQ(summary.at("seed"), 7);
  for (const char* field :
       {"empty", "strided", "expanded", "duplicates", "illegal", "median_elements"}) {
    EXPECT_TRUE(summary.at("mix").at(field).is_number()) << field;
  }
  for (const char* field : {"agreed", "refused", "skipped", "findings"}) {
    EXPECT_TRUE(summary.at("implementations")
                    .at("planted::gather_past_output")
                    .at("gather")
                    .at(field)
                    .is_number())
        << field;
  }
  ASSERT_THAT(summary.at("findings"), SizeIs(testing::Ge(1)));
  const auto& finding = summary.at("findings")[0];
  for (const char* field :
       {"id", "signature", "operator", "implementation", "kind", "known", "reruns", "elements",
        "first_seconds", "case", "repro_py_verified", "repro_cpp_verified"}) {
    EXPECT_TRUE(finding.contains(field)) << field;
  }
  EXPECT_TRUE(finding.at("repro_py_verified").is_null()) << "--no-verify";
  EXPECT_TRUE(std::filesystem::exists(scratch / ("o/" + finding.at("case").get<std::string>())));
}

/// Waits until `seen` holds, half a minute at most.
template <typename Seen>
bool wait_until(Seen&& seen) {
  for (int i = 0; i < 300; ++i) {
    if (seen()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

TEST(Summary, SaysByWhatAKernelNarrowsItself) {
  const Scratch scratch;
  const std::string kernel = "correct::index_select_contiguous_only";
  const Ended ended =
      run(fuzz_one("index_select", kernel, scratch / "o", {"--seed", "1", "--cases", "4000"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("    refused: self is "));
  EXPECT_THAT(ended.out, HasSubstr("    it said: \""));
  EXPECT_THAT(ended.out, HasSubstr("Among the skipped calls are "));
  const auto pair =
      read_json(scratch / "o/summary.json").at("implementations").at(kernel).at("index_select");
  EXPECT_GT(pair.at("narrowed"), 100);
  const std::vector<std::string> words = pair.at("refused_traits");
  EXPECT_THAT(words, Contains("self is strided"));
  EXPECT_THAT(words, Contains("self is expanded"));
  EXPECT_THAT(words, Contains("self is 0-dimensional"));
  EXPECT_THAT(words, Not(Contains("self has a storage offset")));
  EXPECT_THAT(words, Not(Contains("index is strided")));
  EXPECT_THAT(words, Not(Contains("index is empty"))) << "with nothing to judge it is taken";
}

TEST(Finding, SaysNothingOfATenWhereThatIsRight) {
  const Scratch scratch;
  const auto found_with = [&](const std::string& ledger, const std::string& out) {
    const Ended ended = run({"fuzz", "gather", "--load", planted_library(), "--impl",
                             "planted::gather_self_contiguous", "--jobs", "1", "--no-verify",
                             "--seed", "1", "--cases", "20000", "--max-findings", "1", "--ledger",
                             ledger, "--out", scratch / out});
    EXPECT_EQ(ended.code, 77) << ended.err;
    EXPECT_THAT(ended.err + ended.out, Not(HasSubstr("ATen fails")));
    return read_json(scratch / (out + "/summary.json")).at("findings").at(0);
  };
  const auto finding = found_with(scratch.write("none.toml", ""), "o");
  std::string signature = finding.at("signature");
  const std::string name = "planted::gather_self_contiguous";
  signature.replace(signature.find(name), name.size(), "aten:cpu");
  scratch.write("its.case", read_text(scratch / "o/findings/" +
                                      finding.at("id").get<std::string>() + "/minimal.case"));
  found_with(scratch.write("l.toml", ledger_entry(signature, "its.case")), "again");
}

TEST(Finding, SaysThatATenIsKnownToFailInTheSameWay) {
  const Scratch scratch;
  scratch.write("below.case",
                "indexfuzz case 1\ntake_along_dim functional breaks=index_below\n"
                "self float32 (1)\nindices int64 (1) fill=first\n");
  const std::string signature = "take_along_dim on aten:cpu: accept, breaks index_below";
  const Ended ended =
      run({"fuzz", "take_along_dim", "--load", planted_library(), "--impl",
           "planted::take_along_dim_handed_on", "--jobs", "1", "--no-verify", "--seed", "2",
           "--cases", "20000", "--max-findings", "1", "--ledger",
           scratch.write("l.toml", ledger_entry(signature, "below.case")), "--out", scratch / "o"});
  // Nobody need be stricter than ATen, whether the ledger knows how lenient it is or not.
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("elements): ATen fails in the same way"));
  EXPECT_THAT(ended.out, HasSubstr("\nplanted\n  findings/")) << "the reason stands above, once";
  EXPECT_THAT(ended.out, HasSubstr("ATen fails in the same way; a kernel that forwards such calls "
                                   "to ATen inherits this.\n"));
  std::string issues;
  bool is_unlisted_found = false;
  const auto summary = read_json(scratch / "o/summary.json");
  for (const auto& finding : summary.at("findings")) {
    issues +=
        read_text(scratch / "o/findings/" + finding.at("id").get<std::string>() + "/issue.md");
    is_unlisted_found |=
        finding.at("signature").get<std::string>().find("index_below") == std::string::npos;
  }
  EXPECT_THAT(ended.out, HasSubstr("\nATen accepts this illegal call, too; the ledger does not "
                                   "list it\n  findings/"));
  EXPECT_THAT(issues, HasSubstr("PyTorch's own operator fails so on this case"));
  EXPECT_TRUE(is_unlisted_found) << "neither counts as the one that was asked for";
}

TEST(Strict, IsNotOfferedWhereItIsOn) {
  const auto screen = [](const Arguments& more) {
    const Scratch scratch;
    return run(fuzz_one("index_select", "correct::index_select_contiguous_only", scratch / "o",
                        more))
        .out;
  };
  const Arguments cases{"--seed", "1", "--cases", "1000"};
  EXPECT_THAT(screen(cases), HasSubstr("--strict makes a refusal a finding"));
  Arguments strict = cases;
  strict.emplace_back("--strict");
  EXPECT_THAT(screen(strict),
              AllOf(Not(HasSubstr("--strict")), HasSubstr("refuse their legal counterparts")));
}

TEST(StopAt, TakesEveryTimeOfRfc3339) {
  for (const char* time :
       {"2100-01-01T08:00:00.25Z", "2100-01-01t08:00:00z", "2104-02-29T23:59:59.123456789012-23:59",
        "2100-12-31T23:59:60Z", "2101-01-01T01:59:60+02:00", "9999-12-31T23:59:59Z"}) {
    const Scratch scratch;
    const Ended ended = run(fuzz_one("gather", "correct::gather_strided", scratch / "o",
                                     {"--stop-at", time, "--cases", "100"}));
    EXPECT_EQ(ended.code, 0) << time << ": " << ended.err;
  }
}

TEST(Interrupt, EndsACampaignInOrder) {
  const Scratch scratch;
  Command campaign(fuzz_one("gather", "correct::gather_strided", scratch / "o", {"--time", "90s"}));
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(scratch / "o/summary.json"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  campaign.signal(SIGINT);
  const Ended ended = campaign.wait(std::chrono::seconds(20));
  EXPECT_EQ(ended.code, 72) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_EQ(summary.at("state"), "done");
  EXPECT_EQ(summary.at("reasons"), nlohmann::json({"interrupted"}));
}

/// The exit code of `indexfuzz ARGUMENTS` in a pipe of which nobody reads.
std::string code_if_unread(const Scratch& scratch, const Arguments& arguments) {
  std::string command = std::string(config::kBuildDir) + "/indexfuzz";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  const std::string code = scratch / "code";
  Subprocess program({"sh", "-c", "{ " + command + "; echo $? > " + code + "; } 2>&1 | true"},
                     std::chrono::seconds(180));
  program.wait();
  // A shell may wait for the last program of a pipe only.
  EXPECT_TRUE(wait_until([&] { return !read_text(code).empty(); }));
  return read_text(code);
}

TEST(Output, ThatNobodyReadsEndsNoCampaign) {
  const Scratch scratch;
  const Arguments found = fuzz_one("gather", "planted::gather_past_output", scratch / "found",
                                   {"--seed", "7", "--cases", "2000"});
  EXPECT_EQ(code_if_unread(scratch, found), "77\n");
  EXPECT_EQ(read_json(scratch / "found/summary.json").at("state"), "done");
}

TEST(Output, ThatNobodyReadsHidesNoReason) {
  const Scratch scratch;
  // No case is drawn: nothing is verified, which is the last line on stderr.
  const Arguments nothing =
      fuzz_one("gather", "correct::gather_strided", scratch / "none", {"--cases", "0"});
  EXPECT_EQ(run(nothing).code, 3);
  EXPECT_EQ(code_if_unread(scratch, nothing), "3\n");
}

TEST(Interrupt, LosesNoFinding) {
  const Scratch scratch;
  Command campaign(
      fuzz_one("gather", "planted::gather_past_output", scratch / "o", {"--time", "90s"}));
  ASSERT_TRUE(
      wait_until([&] { return campaign.err().find("saved findings/") != std::string::npos; }));
  campaign.signal(SIGTERM);
  const Ended ended = campaign.wait(std::chrono::seconds(20));
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_EQ(summary.at("state"), "done");
  EXPECT_THAT(summary.at("reasons"), Contains("interrupted"));
  ASSERT_THAT(summary.at("findings"), SizeIs(testing::Ge(1)));
  const std::string folder =
      scratch / "o/findings/" + summary.at("findings")[0].at("id").get<std::string>();
  for (const char* file :
       {"minimal.case", "original.case", "repro.py", "repro.cpp", "issue.md", "finding.json"}) {
    EXPECT_FALSE(read_text(folder + "/" + file).empty()) << file;
  }
}

}  // namespace
}  // namespace indexfuzz
