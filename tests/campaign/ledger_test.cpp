#include "campaign/store/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../cli/command.h"
#include "campaign/failure.h"
#include "case/strings/toml_dots.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kTitle = "[[finding]]\nsignature = 's'\nreason = 'r'\n";
constexpr const char* kTorch = "torch = '>=2.0'\n";
constexpr const char* kDevices = "devices = ['cpu']\n";
const std::string kCase = std::string("case = '") + config::kCorpusDir + "/ledger.toml'\n";

std::string entry(const std::string& torch = kTorch, const std::string& devices = kDevices,
                  const std::string& case_file = kCase) {
  return kTitle + torch + devices + case_file;
}

/// What is wrong with a ledger; empty where nothing is.
std::string error_of(const std::string& text) {
  try {
    parse_ledger(text, "l.toml");
  } catch (const SetupError& error) {
    return error.what();
  }
  return "";
}

TEST(Ledger, ReadsEveryField) {
  const Scratch scratch;
  scratch.write("x.case", "");
  const auto entries = read_ledger(scratch.write(
      "l.toml",
      entry("torch = '>=2.0, <2.7'\n", "devices = ['cpu', 'cuda']\n", "case = 'x.case'\n")));
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].signature, "s");
  EXPECT_EQ(entries[0].reason, "r");
  EXPECT_EQ(entries[0].case_file, scratch / "x.case");
  EXPECT_TRUE(applies(entries[0], "2.6.1+cpu", "cuda"));
  EXPECT_FALSE(applies(entries[0], "2.7.0", "cuda"));
  EXPECT_FALSE(applies(entries[0], "2.6.1", "xpu"));
}

TEST(Ledger, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of(""), "");
  EXPECT_EQ(error_of(entry()), "");
  EXPECT_THAT(error_of("[[finding]]\nsignature = 's'\nreason = \n"), HasSubstr("l.toml:3:"));
  EXPECT_THAT(error_of("[[finding]]\nsignature = 1\nreason = 'r'\n"),
              HasSubstr("l.toml:2:13: `signature` must be a string"));
  EXPECT_THAT(error_of(entry("torch = '2.0 to 2.7'\n")),
              HasSubstr("l.toml:4:9: `2.0 to 2.7` is not a range"));
  EXPECT_THAT(error_of(entry("torch = '>=2.0 <2.7'\n")),
              HasSubstr("l.toml:4:9: `>=2.0 <2.7` is not a range"));
  EXPECT_THAT(error_of(entry("torch = ''\n")), HasSubstr("l.toml:4:9: `` is not a range"));
  EXPECT_THAT(error_of(entry(kTorch, "devices = 'cpu'\n")), HasSubstr("l.toml:5:11: `devices`"));
  EXPECT_THAT(error_of(entry(kTorch, "devices = [1]\n")), HasSubstr("list of strings"));
  EXPECT_THAT(error_of(entry(kTorch, "devices = []\n")), HasSubstr("`devices` names none"));
  EXPECT_THAT(error_of(entry(kTorch, "devices = ['cpu', 'cdua']\n")),
              HasSubstr("l.toml:5:19: `cdua` is not a device; there are cpu and cuda"));
  EXPECT_THAT(error_of(entry() + "version = '2.0'\n"),
              HasSubstr("l.toml:7:11: a finding has no field `version`"));
  EXPECT_THAT(error_of("title = 'x'\n"), HasSubstr("[[finding]]"));
  EXPECT_THAT(error_of(entry(kTorch, kDevices, "case = 'none.case'\n")),
              HasSubstr("l.toml:6:8: there is no case file none.case"));
  EXPECT_THAT(error_of("\xff\xfe[[finding]]"), HasSubstr("l.toml:1:"));
}

TEST(Ledger, NoFieldMayBeMissing) {
  const auto lacks = [](const std::string& name) {
    return "l.toml:1:1: this finding has no `" + name + "`.";
  };
  EXPECT_EQ(error_of("[[finding]]\nreason = 'r'\n"), lacks("signature"));
  EXPECT_EQ(error_of("[[finding]]\nsignature = 's'\n"), lacks("reason"));
  EXPECT_EQ(error_of(entry("")), lacks("torch"));
  EXPECT_EQ(error_of(entry(kTorch, "")), lacks("devices"));
  EXPECT_EQ(error_of(entry(kTorch, kDevices, "")), lacks("case"));
}

TEST(Ledger, ASignatureStandsOnceForAVersionAndDevice) {
  const auto of = [](const std::string& device) { return "devices = [" + device + "]\n"; };
  EXPECT_THAT(error_of(entry() + entry()), HasSubstr("l.toml:7:1: the finding of line 1"));
  EXPECT_THAT(error_of(entry(kTorch, of("'cpu', 'cuda'")) + entry(kTorch, of("'cuda'"))),
              HasSubstr("same signature"));
  EXPECT_EQ(error_of(entry("torch = '<2.7'\n") + entry("torch = '>=2.9'\n")), "");
  EXPECT_EQ(error_of(entry(kTorch, of("'cpu'")) + entry(kTorch, of("'cuda'"))), "");
}

TEST(Ledger, WhatIsNoFileIsRefused) {
  const Scratch scratch;
  const auto refusal = [&](const std::string& name) -> std::string {
    try {
      read_ledger(scratch / name);
    } catch (const SetupError& error) {
      return error.what();
    }
    return "";
  };
  ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(refusal("fifo"), HasSubstr("FIFO"));
  EXPECT_THAT(refusal(""), HasSubstr("folder"));
  EXPECT_EQ(refusal("none"), "the ledger " + scratch / "none" + " does not exist.");
}

TEST(Ledger, DeepNestingIsAnErrorAndNoStackOverflow) {
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "a.";
  EXPECT_THAT(error_of(deep + "a = 1\n"), HasSubstr("keys of many parts"));
  EXPECT_THAT(error_of("[" + deep + "a]\n"), HasSubstr("keys of many parts"));
  EXPECT_THAT(error_of("x = " + std::string(200000, '[')), HasSubstr("l.toml:1:"));
  const std::string strings = "signature = '" + deep + "'\nreason = \"" + deep + "\" # " + deep;
  EXPECT_EQ(error_of("[[finding]]\n" + strings + "\n" + kTorch + kDevices + kCase), "");
}

TEST(Ledger, DotsAreCountedOutsideStringsOnly) {
  EXPECT_EQ(dots_outside_strings(R"(a.b.'c.d'."e.\".f".g = 1.5 # x.y)"
                                 "\nh.i = 1"),
            6u);
  EXPECT_EQ(dots_outside_strings("a = \"\"\"x.\n.\\\"\"\".y\"\"\" .. "), 2u);
  EXPECT_EQ(dots_outside_strings("a = '''x.\n''.\\''' .. "), 2u);
  EXPECT_EQ(dots_outside_strings("a = 'not closed .\n.."), 2u);
  EXPECT_EQ(dots_outside_strings("a = \"\\"), 0u);
}

TEST(Ledger, RangesOfVersions) {
  EXPECT_TRUE(in_range("2.11.0+cu130", ">=2.11.0, <2.16"));
  EXPECT_TRUE(in_range("2.11.0", ""));
  EXPECT_TRUE(in_range("2.7.1rc2", "==2.7.1"));
  EXPECT_FALSE(in_range("2.16.0", ">=2.11.0, <2.16"));
  EXPECT_FALSE(in_range("2.9", "!=2.9.0"));
  EXPECT_TRUE(in_range("2.10", ">2.9"));
}

}  // namespace
}  // namespace indexfuzz
