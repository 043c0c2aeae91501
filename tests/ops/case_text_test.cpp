#include "ops/text/case_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "case/bytes.h"
#include "draw/draw.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSample =
    "indexfuzz case 1\n"
    "index_select functional dim=1\n"
    "self float32 (4, 6) order=(1, 0) step=(1, 2) before=(0, 1) offset=3 guard=right\n"
    "index int64 (3) fill=random1 seed=7\n";

std::string error_of(const std::string& text) {
  return parse_cases(text).error;
}

/// The sample with one piece of its text replaced.
std::string with(std::string_view from, std::string_view to) {
  std::string text(kSample);
  return text.replace(text.find(from), from.size(), to);
}

TEST(CaseText, ReadsAndPrintsTheSame) {
  const ParsedCases parsed = parse_cases(kSample);
  ASSERT_EQ(parsed.error, "");
  ASSERT_EQ(parsed.cases.size(), 1u);
  EXPECT_EQ(to_text(parsed.cases[0]), kSample);
}

TEST(CaseText, TheEnvironmentIsPrintedWhereItIsNotTheUsualOne) {
  const std::string text = std::string(kCaseHeader) +
                           "\ngather functional dim=1 threads=4 capability=default\nself float32 "
                           "(2, 3)\nindex int64 (2, 2) "
                           "fill=first\n";
  const ParsedCases parsed = parse_cases(text);
  ASSERT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.cases[0].environment, (Environment{4, Capability::kDefault}));
  EXPECT_EQ(to_text(parsed.cases[0]), text);
  const auto error_in = [](const std::string& call) {
    return parse_cases(std::string(kCaseHeader) + "\ngather functional " + call + "\n").error;
  };
  EXPECT_THAT(error_in("threads=65"), HasSubstr("threads"));
  EXPECT_THAT(error_in("capability=avx3"), HasSubstr("avx2"));
}

TEST(CaseText, CommentsBlankLinesCarriageReturnsAndSeveralCases) {
  const std::string text =
      with("index_select", "\n# why it exists\r\nindex_select") + "---\r\n" + std::string(kSample);
  const ParsedCases parsed = parse_cases(text);
  ASSERT_EQ(parsed.error, "");
  ASSERT_EQ(parsed.cases.size(), 2u);
  EXPECT_EQ(parsed.cases[0], parsed.cases[1]);
}

TEST(CaseText, PrintsSeveralCasesThatReadTheSame) {
  const ParsedCases one = parse_cases(
      "indexfuzz case 1\nindex_select functional\nself float32 (2)\nindex int64 (1) fill=last\n"
      "---\ngather functional\nself float32 (2)\nindex int64 (1) fill=last\n");
  ASSERT_EQ(one.cases.size(), 2u) << one.error;
  const ParsedCases again = parse_cases(to_text(one.cases));
  EXPECT_EQ(again.cases, one.cases);
}

TEST(CaseText, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(error_of(""), HasSubstr("line 1: not a case file"));
  EXPECT_THAT(error_of("hello\n"), HasSubstr("must begin with 'indexfuzz case 1', found 'hello'"));
  EXPECT_EQ(error_of("indexfuzz case 2\nwhatever"),
            "line 1: written by a newer indexfuzz (case version 2), this one reads version 1: "
            "update indexfuzz");
  EXPECT_THAT(error_of("indexfuzz case 1\n"), HasSubstr("expected a case"));
  EXPECT_THAT(error_of(with("index_select", "index_selct")),
              HasSubstr("line 2: unknown operator 'index_selct' (did you mean 'index_select'?)"));
  EXPECT_THAT(error_of(with("float32", "float23")),
              HasSubstr("line 3: unknown dtype 'float23' (did you mean 'float"));
  EXPECT_THAT(error_of(with("functional", "in-place")),
              HasSubstr("line 2: index_select has no in-place variant"));
  EXPECT_THAT(error_of(with("random1", "random2")),
              HasSubstr("line 4: unknown fill 'random2' (did you mean 'random1'?)"));
  EXPECT_THAT(error_of(with("functional", "functional memroy=busy")),
              HasSubstr("line 2: unknown attribute 'memroy' (did you mean 'memory'?)"));
  EXPECT_THAT(error_of(with("index int64", "indx int64")),
              HasSubstr("line 4: expected operand 'index', found 'indx'"));
  EXPECT_THAT(error_of(with("index int64 (3) fill=random1 seed=7\n", "")),
              HasSubstr("operand 'index' of index_select is missing"));
  EXPECT_THAT(error_of(with("(4, 6)", "(4, 99999999999999999999)")), HasSubstr("does not lie in"));
  EXPECT_THAT(error_of(with("order=(1, 0)", "order=(1, 1)")),
              HasSubstr("order names dimension 1 twice"));
  EXPECT_THAT(error_of(with("seed=7", "seed=7 seed=8")), HasSubstr("'seed' is given twice"));
  EXPECT_THAT(error_of(with("dim=1", "breaks=nothing")),
              HasSubstr("unknown rule of index_select 'nothing', which is none of index_below, "));
}

TEST(CaseText, WhatIsNoLongerLegalIsNamed) {
  EXPECT_THAT(error_of(with("dim=1", "dim=7")), HasSubstr("no longer legal: dim must be"));
  EXPECT_THAT(error_of(with("int64", "float64")),
              HasSubstr("no longer legal: index: its dtype must be"));
  EXPECT_THAT(
      error_of("indexfuzz case 1\nindex_select functional\nself float32 (2)\nindex int64 (1)\n"),
      HasSubstr("index: it holds indices and needs a fill for them, as fill=first; it has "
                "fill=index"));
}

TEST(CaseText, WhatGuardedMemoryDoesNotHoldIsNotLegal) {
  const auto error = [](const std::string& self) {
    return error_of("indexfuzz case 1\nindex_select functional\nself " + self +
                    "\nindex int64 (1) fill=first\n");
  };
  EXPECT_THAT(error("complex128 (2097152)"), HasSubstr("no longer legal: self: its shape must be"));
  EXPECT_THAT(error("float32 (1024, 1024) step=(4, 4)"), HasSubstr("no longer legal: self: step"));
  EXPECT_EQ(error("complex128 (1572864)"), "");
}

TEST(CaseText, HugeInputsAreRefusedQuickly) {
  EXPECT_NE(error_of(std::string(1 << 20, 'x')), "");
  EXPECT_NE(error_of("indexfuzz case 1\n" + std::string(1 << 20, 'x')), "");
  EXPECT_NE(error_of(with("(4, 6)", "(" + std::string(1 << 20, '1') + ")")), "");
  std::string ranks = "(1";
  for (int i = 0; i < 100'000; ++i) ranks += ", 1";
  EXPECT_THAT(error_of(with("(4, 6)", ranks + ")")), HasSubstr("more than 12 numbers"));
  EXPECT_THAT(error_of(with("(4, 6)", "(1048576, 1048576)")), HasSubstr("at most"));
  EXPECT_THAT(error_of("indexfuzz case 1\nindex_select functional\nself int8 (1, 1, 2097152) "
                       "step=(32767, 32767, 32767) before=(32767, 32767, 0)\nindex int64 (1)\n"),
              HasSubstr("need too much memory"))
      << "more than 64 bits of it";
}

/// Each case is of another turn, so that few are of many operators.
std::vector<Case> drawn_cases(int count) {
  const std::vector<Target> targets = all_targets();
  std::vector<Case> cases(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    draw_case(7, 0, static_cast<std::uint64_t>(i) * (kOperatorTurn + 1), targets, Limits{},
              cases[static_cast<std::size_t>(i)]);
  }
  return cases;
}

TEST(CaseText, EveryDrawnCaseRoundTripsInBothForms) {
  std::vector<std::byte> bytes(kEncodedBytes);
  for (const Case& c : drawn_cases(20'000)) {
    const ParsedCases parsed = parse_cases(to_text(c));
    ASSERT_EQ(parsed.error, "") << to_text(c);
    ASSERT_EQ(parsed.cases.size(), 1u);
    ASSERT_EQ(parsed.cases[0], c) << to_text(c);
    encode(c, bytes.data());
    ASSERT_EQ(decode(bytes), c) << to_text(c);
  }
}

TEST(CaseText, MutatedTextNeverCrashesTheParser) {
  std::mt19937_64 random(3);
  const std::vector<Case> cases = drawn_cases(200);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  static constexpr std::string_view kPieces[] = {
      "(",    ")", ",", "=",     "-1",   "0",         "99999999999",  "---\n",      "\n",
      "none", "#", " ", "fill=", "out ", "order=(0)", "expanded=(0)", "slides=(0)", "true"};
  int legal = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text = to_text(cases[below(cases.size())]);
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      const std::size_t at = kCaseHeader.size() + below(text.size() - kCaseHeader.size());
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, 1 + below(8)); break;
        case 2: text.insert(at, kPieces[below(std::size(kPieces))]); break;
        default: text.insert(at, text.substr(below(text.size()), below(40))); break;
      }
    }
    const ParsedCases parsed = parse_cases(text);
    ASSERT_NE(parsed.error.empty(), parsed.cases.empty()) << text;
    // What was read is legal and prints as what it is.
    if (parsed.cases.size() == 1) {
      ++legal;
      ASSERT_EQ(parse_cases(to_text(parsed.cases[0])).cases, parsed.cases) << text;
    }
  }
  EXPECT_GT(legal, 1000);
}

TEST(CaseText, AnyBytesGiveALegalCaseAfterRepair) {
  std::mt19937_64 random(5);
  std::vector<std::byte> bytes(kEncodedBytes);
  for (int i = 0; i < 20'000; ++i) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 56);
    bytes[3] = std::byte{0};
    Case c = decode(bytes);
    repair(c, Limits{});
    ASSERT_EQ(why_illegal(c), "") << to_text(c);
  }
}

}  // namespace
}  // namespace indexfuzz
