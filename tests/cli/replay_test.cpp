// Case files run again: what is said of each, and in which form.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kPlain =
    "indexfuzz case 1\nindex_select functional\nself float32 (4)\nindex int64 (2) fill=last\n";
constexpr const char* kOffset =
    "indexfuzz case 1\nindex_select functional\nself float32 (1) offset=1\nindex int64 (1) "
    "fill=first\n";
constexpr const char* kPermuted =
    "indexfuzz case 1\nindex_select functional\nself float32 (2, 3) order=(1, 0)\nindex int64 (2) "
    "fill=last\n";
constexpr const char* kEmpty =
    "indexfuzz case 1\nindex_select functional\nself float32 (4)\nindex int64 (0) fill=first\n";
constexpr const char* kKernel = "planted::index_select_offset_ignored";
constexpr const char* kCorrect = "correct::index_select_strided";
const std::string kSignature =
    std::string("index_select on ") + kKernel + ": value; when self has a storage offset";

Arguments replay(const std::string& kernel, Arguments more) {
  Arguments all{"replay", "--load", planted_library(), "--impl", kernel};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Replay, GoesOnBehindANamedFileThatCannotBeRead) {
  const Scratch scratch;
  const std::string bad = scratch.write("bad.case", "damage\n");
  const std::string good = scratch.write("good.case", kPlain);
  const Ended ended = run(replay(kCorrect, {"--no-ledger", bad, scratch / "none.case", good}));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("bad.case: line 1"));
  EXPECT_THAT(ended.err, HasSubstr("none.case: no such file"));
  EXPECT_THAT(ended.out, HasSubstr("passed   " + good));
}

TEST(Replay, SetsAsideWhatIsNoCaseInAFolder) {
  const Scratch scratch;
  scratch.write("good.case", kPlain);
  scratch.write("bad.case", "damage\n");
  fs::create_symlink("/etc/passwd", scratch / "link.case");
  ASSERT_EQ(mkfifo((scratch / "fifo.case").c_str(), 0600), 0);
  const std::string junit = scratch / "r.xml";
  const Ended ended = run(replay(kCorrect, {"--no-ledger", scratch / "", "--junit", junit}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("1 file, 1 result, one for each implementation of a file: 1 passed"));
  EXPECT_THAT(ended.out, HasSubstr("3 set aside: 1 link, 1 FIFO, 1 no legal case"));
  EXPECT_THAT(read_text(junit), HasSubstr("tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"3\""));
}

TEST(Replay, AFolderOfNothingButDamageShowsNothing) {
  const Scratch scratch;
  scratch.write("bad.case", "damage\n");
  EXPECT_EQ(run(replay(kCorrect, {"--no-ledger", scratch / ""})).code, 3);
}

TEST(Replay, ReportsSayWhatBecameOfEachCase) {
  const Scratch scratch;
  const std::string plain = scratch.write("plain.case", kPlain);
  const std::string fails = scratch.write("fails.case", kOffset);
  const std::string known = scratch.write("known.case", kOffset);
  const std::string fixed = scratch.write("fixed.case", kPlain);
  const std::string bad = scratch.write("bad.case", "damage\n");
  const std::string ledger = scratch.write("first.toml", ledger_entry(kSignature, "known.case"));
  const std::string other =
      scratch.write("second.toml", ledger_entry(kSignature + ", once", "fixed.case"));
  const std::string junit = scratch / "r.xml", sarif = scratch / "r.sarif";

  Ended ended = run(replay(kKernel, {"--ledger", ledger, "--ledger", other, plain, known, fixed,
                                     bad, "--junit", junit, "--sarif", sarif}));
  EXPECT_EQ(ended.code, 77) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("3 files, 3 results, one for each implementation of a file: 1 passed, "
                        "1 known, 0 failed, 1 fixed, 0 skipped"));
  const std::string tests = read_text(junit);
  EXPECT_THAT(tests, HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"0\""));
  EXPECT_THAT(tests, HasSubstr("known: " + kSignature + "; planted"));
  EXPECT_THAT(tests, HasSubstr("fixed: does not fail any more: " + kSignature + ", once"));
  EXPECT_THAT(tests, HasSubstr("<error message=\"unreadable: line 1"));

  const auto report = read_json(sarif);
  EXPECT_EQ(report.at("version"), "2.1.0");
  ASSERT_THAT(report.at("runs"), SizeIs(1));
  std::vector<std::string> rules;
  for (const auto& result : report.at("runs")[0].at("results")) {
    rules.push_back(result.at("ruleId"));
    EXPECT_THAT(result.at("message").at("text").get<std::string>(), Not(testing::IsEmpty()));
    EXPECT_EQ(result.at("locations").size(), 1u);
    EXPECT_EQ(result.contains("suppressions"), rules.back() == "failure");
  }
  EXPECT_THAT(rules, ElementsAre("unreadable", "failure", "fixed"));

  ended = run(replay(kKernel, {"--no-ledger", fails, "--junit", junit}));
  EXPECT_EQ(ended.code, 77);
  EXPECT_THAT(read_text(junit), HasSubstr("failed: " + kSignature));
}

TEST(Replay, AFailureThatTheLedgerListsOtherwiseIsNew) {
  const Scratch scratch;
  const std::string fails = scratch.write("fails.case", kOffset);
  const std::string ledger =
      scratch.write("l.toml", ledger_entry(kSignature + ", self is strided", "fails.case"));
  const Ended ended = run(replay(kKernel, {"--ledger", ledger, fails}));
  EXPECT_EQ(ended.code, 77);
  EXPECT_THAT(ended.out, HasSubstr("FAILED"));
  EXPECT_THAT(ended.out, HasSubstr("the ledger lists it as " + kSignature + ", self is strided"));
}

TEST(Replay, SaysWhatWasAskedForAndVerifiedNothing) {
  const Scratch scratch;
  const std::string permuted = scratch.write("permuted.case", kPermuted);
  const std::string plain = scratch.write("plain.case", kPlain);
  const std::string kNarrow = "correct::index_select_contiguous_only";
  const auto of_both = [&](Arguments more) {
    more.insert(more.end(), {"--no-ledger", "--impl", "aten:cpu"});
    return run(replay(kNarrow, std::move(more)));
  };
  const Ended refused = of_both({permuted});
  EXPECT_EQ(refused.code, 3) << refused.out;
  EXPECT_EQ(refused.err, "indexfuzz: nothing was verified for " + kNarrow + ".\n");
  EXPECT_THAT(refused.out, HasSubstr("passed   " + permuted + " on aten:cpu\n"));
  EXPECT_THAT(refused.out, HasSubstr("skipped  " + permuted + " on " + kNarrow + ": "));
  EXPECT_EQ(of_both({permuted, plain}).code, 0) << "one case is enough";
}

TEST(Replay, ACaseWithNothingToJudgeIsSkipped) {
  const Scratch scratch;
  const std::string empty = scratch.write("empty.case", kEmpty);
  const std::string plain = scratch.write("plain.case", kPlain);
  Ended ended = run({"replay", empty, "--no-ledger", "--impl", "aten:cpu"});
  EXPECT_EQ(ended.code, 3) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("skipped  " + empty +
                                   " on aten:cpu: agrees, but there was no "
                                   "element to judge\n"));
  EXPECT_EQ(ended.err, "indexfuzz: nothing was verified for aten:cpu.\n");
  ended = run({"replay", empty, plain, "--no-ledger"});
  EXPECT_EQ(ended.code, 0) << "no implementation was asked for, and something was verified";
  EXPECT_EQ(ended.err, "");
  ended = run({"replay", empty, "--no-ledger"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.err, "indexfuzz: nothing was verified.\n");
}

TEST(Replay, EndsWithTheCodeThatIsAskedForInsteadOf77) {
  const Scratch scratch;
  const std::string fails = scratch.write("fails.case", kOffset);
  const std::string plain = scratch.write("plain.case", kPlain);
  const auto code = [&](Arguments more) {
    more.insert(more.end(), {"--error-exitcode", "42"});
    return run(replay(kKernel, std::move(more))).code;
  };
  EXPECT_EQ(code({"--no-ledger", fails}), 42);
  EXPECT_EQ(code({"--no-ledger", plain}), 0);
  EXPECT_EQ(
      code({"--ledger", scratch.write("l.toml", ledger_entry(kSignature, "plain.case")), plain}),
      42)
      << "what is fixed, too";
}

TEST(Replay, SaysThatAFindingsOwnKernelIsNotTested) {
  const Scratch scratch;
  const std::string file =
      scratch.write("minimal.case",
                    "indexfuzz case 1\ngather functional\nself float32 (2)\nindex int64 (1) "
                    "fill=first\n");
  scratch.write("finding.json", R"({"implementation": "mine::gather"})");
  for (const char* const command : {"replay", "show"}) {
    const std::string said = run({command, file, "--impl", "aten:cpu"}).out;
    EXPECT_THAT(said, HasSubstr("it was found on mine::gather, which is not tested here: give "
                                "--load and --impl"));
  }
  scratch.write("finding.json", R"({"implementation": "aten:cpu"})");
  EXPECT_THAT(run({"replay", file, "--impl", "aten:cpu"}).out, Not(HasSubstr("it was found on")));
  scratch.write("finding.json", "{");
  EXPECT_EQ(run({"replay", file, "--impl", "aten:cpu"}).code, 0);
}

TEST(Replay, SaysThatNoImplementationHasTheForm) {
  const Scratch scratch;
  const std::string file =
      scratch.write("out.case",
                    "indexfuzz case 1\nindex_select out\nself float32 (4)\nindex int64 (2) "
                    "fill=last\nout float32 (2)\n");
  for (const char* const command : {"replay", "show"}) {
    const Ended ended = run({command, file, "--load", planted_library(), "--impl", kKernel});
    EXPECT_THAT(ended.out, HasSubstr("no implementation has this form")) << command << ended.err;
  }
}

TEST(Replay, AFindingOfAKernelThatIsNotTestedIsNeitherShrunkNorExported) {
  const Scratch scratch;
  const std::string file = scratch.write("minimal.case", kPlain);
  scratch.write("finding.json", R"({"implementation": "mine::gather"})");
  const auto refused = [&](Arguments arguments) {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr("it was found on mine::gather, which is not tested here: "
                                     "give --load and --impl."));
    return ended.err;
  };
  EXPECT_THAT(refused({"shrink", file}), HasSubstr("nothing to shrink, "));
  EXPECT_THAT(refused({"export", file, "--as", "py"}), HasSubstr("nothing to export, "));
  const Ended named = run({"export", file, "--as", "py", "--impl", "aten:cpu"});
  EXPECT_EQ(named.code, 0) << "it is asked for";
  EXPECT_THAT(named.err, HasSubstr("so what is written will pass."));
}

TEST(Replay, AReportGoesIntoADeviceOrThroughALink) {
  const Scratch scratch;
  const std::string good = scratch.write("good.case", kPlain);
  const std::string target = scratch.write("target.xml", "old");
  fs::create_symlink(target, scratch / "link.xml");
  EXPECT_EQ(run(replay(kCorrect, {"--no-ledger", good, "--junit", scratch / "link.xml", "--sarif",
                                  "/dev/null"}))
                .code,
            0);
  EXPECT_TRUE(fs::is_symlink(scratch / "link.xml"));
  EXPECT_THAT(read_text(target), HasSubstr("testsuite"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Replay, AReportGoesThroughALinkToAFileThatDoesNotExistYet) {
  const Scratch scratch;
  const std::string good = scratch.write("good.case", kPlain);
  fs::create_directory(scratch / "reports");
  fs::create_symlink("reports/today.xml", scratch / "link.xml");
  EXPECT_EQ(run(replay(kCorrect, {"--no-ledger", good, "--junit", scratch / "link.xml"})).code, 0);
  EXPECT_TRUE(fs::is_symlink(scratch / "link.xml"));
  EXPECT_THAT(read_text(scratch / "reports/today.xml"), HasSubstr("testsuite"));
}

}  // namespace
}  // namespace indexfuzz
