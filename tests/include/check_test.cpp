#include "indexfuzz/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../cli/command.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kProgram = std::string(config::kBuildDir) + "/indexfuzz";

/// A few cases with the same seed each time.
CheckOptions short_check(const std::string& kernel) {
  CheckOptions options;
  options.program = kProgram;
  options.operators = {"index_select"};
  options.libraries = {planted_library()};
  options.implementations = {kernel};
  options.time = "";
  options.seed = "1";
  options.arguments = {"--cases", "5000", "--jobs", "1", "--no-verify"};
  return options;
}

TEST(Check, AKernelThatIsRightHolds) {
  const Checked checked = check(short_check("correct::index_select_strided"));
  EXPECT_EQ(checked.verdict, CheckVerdict::kHeld) << checked.text;
  EXPECT_TRUE(checked.held());
  EXPECT_THAT(checked.text, AllOf(HasSubstr("--impl correct::index_select_strided"),
                                  HasSubstr("no findings"), Not(HasSubstr("import torch"))));
}

TEST(Check, AKernelThatIsWrongFailsWithWhatReproducesIt) {
  const Scratch scratch;
  CheckOptions options = short_check("planted::index_select_zero_dim_shape");
  options.folder = scratch / "kept";
  const Checked checked = check(options);
  EXPECT_EQ(checked.verdict, CheckVerdict::kFailed) << checked.text;
  EXPECT_FALSE(checked.held());
  EXPECT_THAT(checked.text,
              AllOf(HasSubstr("index_select on planted::index_select_zero_dim_shape: metadata"),
                    HasSubstr("import torch"), HasSubstr("index_select")));
  EXPECT_TRUE(fs::exists(fs::path(options.folder) / "summary.json"));
}

TEST(Check, ACrashOfTheKernelEndsInAVerdict) {
  const Checked checked = check(short_check("planted::index_select_exit"));
  EXPECT_EQ(checked.verdict, CheckVerdict::kFailed) << checked.text;
}

TEST(Check, AFailureInTheLedgerIsNotExplained) {
  const Scratch scratch;
  CheckOptions options = short_check("planted::index_select_zero_dim_shape");
  options.folder = scratch / "found";
  ASSERT_EQ(check(options).verdict, CheckVerdict::kFailed);
  const auto found = read_json(fs::path(options.folder) / "summary.json").at("findings").at(0);
  fs::copy_file(fs::path(options.folder) / found.at("case"), scratch / "known.case");
  options.folder = "";
  const std::string entry = ledger_entry(found.at("signature"), "known.case");
  options.arguments.insert(options.arguments.end(),
                           {"--ledger", scratch.write("ledger.toml", entry)});
  const Checked checked = check(options);
  EXPECT_EQ(checked.verdict, CheckVerdict::kHeld);
  EXPECT_THAT(checked.text, AllOf(HasSubstr(" known: planted"), Not(HasSubstr("import torch"))));
}

TEST(Check, WhatWasNeverVerifiedIsInconclusive) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Scratch scratch;
  CheckOptions options = short_check("shy::index_select");
  options.libraries = {scratch.write("shy.py", R"py(
from torch import library

shy = library.Library("shy", "DEF")
shy.define("index_select(Tensor self, int dim, Tensor index) -> Tensor")

def refuse(self, dim, index):
    raise RuntimeError("not today")

shy.impl("index_select", refuse, "CPU")
)py")};
  const Checked checked = check(options);
  EXPECT_EQ(checked.verdict, CheckVerdict::kInconclusive) << checked.text;
}

TEST(Check, AnUnknownKernelIsNotChecked) {
  const Checked checked = check(short_check("correct::index_select_stridden"));
  EXPECT_EQ(checked.verdict, CheckVerdict::kNotChecked);
  EXPECT_THAT(checked.text, HasSubstr("correct::index_select_strided"));
}

TEST(Check, AMissingProgramIsNotChecked) {
  CheckOptions options = short_check("correct::index_select_strided");
  options.program = "/nowhere/indexfuzz";
  const Checked checked = check(options);
  EXPECT_EQ(checked.verdict, CheckVerdict::kNotChecked);
  EXPECT_THAT(checked.text, HasSubstr("cannot run '/nowhere/indexfuzz': set INDEXFUZZ_PROGRAM"));
}

TEST(Check, WithoutAPlaceForItsFolderNothingIsChecked) {
  const Scratch scratch;
  const char* before = getenv("TMPDIR");
  const std::string restored = before == nullptr ? "" : before;
  setenv("TMPDIR", (scratch / "missing").c_str(), 1);
  const Checked checked = check(short_check("correct::index_select_strided"));
  restored.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", restored.c_str(), 1);
  EXPECT_EQ(checked.verdict, CheckVerdict::kNotChecked);
  EXPECT_THAT(checked.text, HasSubstr("cannot create a folder in TMPDIR"));
}

TEST(Check, TheCommandIsAsOneTypesIt) {
  EXPECT_EQ(check_detail::typed({"indexfuzz", "--load", "my lib.so", "", "it's"}),
            "indexfuzz --load 'my lib.so' '' 'it'\\''s'");
}

/// A person's own test program, which has only the header.
TEST(Check, TheHeaderNeedsNothingButCxx17) {
  const Scratch scratch;
  const std::string source = scratch.write("mine_test.cpp", R"cpp(
#include <indexfuzz/check.h>
#include <cstdio>

    int main(int, char** arguments) {
      indexfuzz::CheckOptions options;
      options.libraries = {arguments[1]};
      options.implementations = {"correct::index_select_strided"};
      options.time = "";
      options.arguments = {"--cases", "100", "--jobs", "1"};
      const indexfuzz::Checked checked = indexfuzz::check(options);
      std::puts(checked.text.c_str());
      return checked.held() ? 0 : 1;
    }
  )cpp");
  const std::string program = scratch / "mine_test";
  Subprocess compile(
      {config::kCxxCompiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
       "-I" + std::string(config::kSourceDir) + "/include", source, "-o", program},
      std::chrono::minutes(2));
  const Ended compiled = run(compile);
  ASSERT_EQ(compiled.code, 0) << compiled.out;
  Subprocess test({"env", "INDEXFUZZ_PROGRAM=" + kProgram, program, planted_library()},
                  std::chrono::minutes(2));
  const Ended ended = run(test);
  EXPECT_EQ(ended.code, 0) << ended.out;
}

}  // namespace
}  // namespace indexfuzz
