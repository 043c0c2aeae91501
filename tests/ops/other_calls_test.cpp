#include "ops/repair/other_calls.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../written_case.h"

namespace indexfuzz {
namespace {

/// A case of every form, some of them illegal.
template <typename Test>
void for_drawn_cases(Test&& test) {
  const std::vector<Target> targets = all_targets();
  Case c;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    draw_case(1, 0, i, targets, {}, c);
    test(c);
  }
}

/// One segment lies between two offsets.
std::int64_t fewest_elements(const Operand& operand) {
  return operand.fill.kind == FillKind::kOffsets5 ? 2 : 1;
}

void expect_legal_of_the_same_form(const Case& other, const Case& c) {
  ASSERT_EQ(why_illegal(other), "") << to_text(other);
  EXPECT_EQ(other.breaks, 0);
  EXPECT_EQ(other.op, c.op);
  EXPECT_EQ(other.overload, c.overload);
  EXPECT_EQ(other.variant, c.variant);
  EXPECT_EQ(other.gpu, c.gpu);
}

TEST(OtherCalls, WithZerosAreLegalAndOfTheSameForm) {
  for_drawn_cases([](const Case& c) { expect_legal_of_the_same_form(with_zeros(c), c); });
}

TEST(OtherCalls, WithOneElementAreLegalAndSmall) {
  for_drawn_cases([](const Case& c) {
    const Case small = with_one_element(c);
    expect_legal_of_the_same_form(small, c);
    for (const Operand& operand : small.operands)
      EXPECT_LE(numel(operand.shape), fewest_elements(operand)) << to_text(c) << to_text(small);
  });
}

TEST(OtherCalls, ThePlainestIsOfTheSameFormAndHasNoMoreThanItsDtypesDemand) {
  for_drawn_cases([](const Case& c) {
    Case form = c;
    form.gpu = {};
    const Case plain = plainest_case(c.op, c.overload, c.variant);
    expect_legal_of_the_same_form(plain, form);
    for (const Operand& operand : plain.operands) {
      EXPECT_LE(numel(operand.shape), fewest_elements(operand));
      EXPECT_EQ(operand.layout, contiguous_layout(rank(operand.shape)));
    }
  });
}

TEST(OtherCalls, ThePlainestOfGatherIsThis) {
  const Case c = written(
      "gather out dim=1\nself int8 (2, 3)\nindex int32 (2, 1) fill=last\nout int8 (2, 1)\n");
  EXPECT_EQ(to_text(plainest_case(c.op, c.overload, c.variant)),
            to_text(written(
                "gather out\nself float32 (1)\nindex int64 (1) fill=first\nout float32 (1)\n")));
}

TEST(OtherCalls, HoldNothingButZeros) {
  const Case c =
      written("index_select functional\nself float32 (3) fill=hash1\nindex int64 (2) fill=last\n");
  for (const Case& other : {with_zeros(c), with_one_element(c)}) {
    const Expectation e = expectation(other);
    for (const auto& bytes : e.operands)
      EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
  }
}

}  // namespace
}  // namespace indexfuzz
