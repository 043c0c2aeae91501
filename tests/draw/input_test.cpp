// Any bytes as a case: byte form, text form, damaged ones.

#include "draw/input.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "../written_case.h"
#include "case/bytes.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string encoded(const Case& c) {
  std::string result(kEncodedBytes, '\0');
  result.resize(encode_short(c, reinterpret_cast<std::byte*>(result.data())));
  return result;
}

TEST(Input, BothFormsOfACaseMeanTheSame) {
  const auto targets = all_targets();
  Case c, from_text, from_bytes;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    draw_case(1, 0, i, targets, {}, c);
    ASSERT_TRUE(read_input(bytes(to_text(c)), {}, from_text)) << to_text(c);
    ASSERT_TRUE(read_input(bytes(encoded(c)), {}, from_bytes));
    ASSERT_EQ(from_text, c);
    ASSERT_EQ(from_bytes, c);
  }
}

TEST(Input, TheLastOfSeveralCasesIsTheJudgedOne) {
  const std::string body = "gather functional\nself float32 (2)\nindex int64 (1) fill=first\n";
  const std::string text = std::string(kCaseHeader) + "\n" + body +
                           "---\ngather functional\nself float32 (3)\nindex int64 (1) fill=first\n";
  Case c;
  ASSERT_TRUE(read_input(bytes(text), {}, c));
  EXPECT_EQ(c.operands[0].shape, Dims{3});
}

TEST(Input, DamagedTextAndTooFewBytesAreNone) {
  Case c;
  EXPECT_FALSE(read_input({}, {}, c));
  EXPECT_FALSE(read_input(bytes("\n"), {}, c));
  EXPECT_FALSE(read_input(bytes(std::string(kCaseHeader)), {}, c));
  EXPECT_FALSE(read_input(bytes(std::string(kCaseHeader) + "\ngather sideways\n"), {}, c));
}

/// Flips, cuts, doubles and inserts.
std::string damaged(std::string text, std::mt19937_64& random) {
  for (std::uint64_t i = random() % 4; i-- > 0 && !text.empty();) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.resize(at); break;
      case 2: text.insert(at, text.substr(at / 2, random() % 40)); break;
      case 3: text.erase(at, random() % 8); break;
    }
  }
  return text;
}

TEST(Input, AnyBytesGiveALegalCaseOrNone) {
  const auto targets = all_targets();
  std::mt19937_64 random(2);
  Case c;
  int read = 0;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    draw_case(2, 0, i, targets, {}, c);
    const std::string input = damaged(i % 2 == 0 ? encoded(c) : to_text(c), random);
    if (!read_input(bytes(input), {}, c)) continue;
    ++read;
    Case repaired = c;
    repair(repaired, {});
    ASSERT_EQ(repaired, c) << to_text(c);
  }
  EXPECT_GT(read, 10'000);
}

}  // namespace
}  // namespace indexfuzz
