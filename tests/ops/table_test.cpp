// Operands that are the last slices of a tensor of more than 2^31 elements.

#include "ops/fills/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../written_case.h"
#include "case/far_slices.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMany = std::int64_t{1} << 31;

std::vector<double> indices_of(std::string_view body) {
  const Case c = written(body);
  return numbers(c.operands[1].dtype, expectation(c).operands[1]);
}

TEST(Table, HasAsManySlicesInFrontAsMakeUpItsElements) {
  const auto in_front = [](std::string_view self) {
    return slices_in_front(
        written("index_select functional\n" + std::string(self) + "\nindex int64 (1) fill=first\n")
            .operands[0]);
  };
  EXPECT_EQ(in_front("self float32 (2, 4)"), 0);
  EXPECT_EQ(in_front("self float32 (2, 4) slices=last"), kMany / 4);
  EXPECT_EQ(in_front("self float32 (2, 4) slices=far_last"), kMany / 2);
  // 2^31 / 3, rounded up to rows that make a multiple of 512 bytes.
  EXPECT_EQ(in_front("self float32 (2, 3) slices=last"), 715'827'968);
  EXPECT_EQ(in_front("self int8 (2, 3) slices=last"), 715'828'224);
}

TEST(Table, IndicesNameItsLastSlicesAndNegativeOnesCountFromTheEnd) {
  EXPECT_EQ(indices_of("index_select functional\nself float32 (3) slices=last\n"
                       "index int64 (3) fill=ascending\n"),
            (std::vector<double>{0. + kMany, 1. + kMany, 2. + kMany}));
  EXPECT_EQ(indices_of("take functional\nself float32 (3) slices=far_last\n"
                       "index int64 (2) fill=last negatives=all\n"),
            (std::vector<double>{-1, -1}));
  EXPECT_EQ(indices_of("gather functional\nself float32 (2, 8) slices=last\n"
                       "index int32 (1, 1) fill=last\n"),
            (std::vector<double>{1. + kMany / 8}));
}

TEST(Table, TheExpectedResultIsThatOfItsLastSlices) {
  const Expectation of_table = expectation(
      written("embedding functional\nweight float32 (3, 2) slices=last\nindices int64 (2) "
              "fill=last\n"));
  const Expectation plain =
      expectation(written("embedding functional\nweight float32 (3, 2)\nindices int64 (2) "
                          "fill=last\n"));
  EXPECT_EQ(of_table.values, plain.values);
  EXPECT_EQ(of_table.result.shape, plain.result.shape);
}

TEST(Table, IsOnlyWhatACallReachesByItsIndicesAlone) {
  const auto is_refused = [](std::string_view body) {
    return error_of(body).find("last slices of a larger tensor") != std::string::npos;
  };
  EXPECT_FALSE(
      is_refused("index_add in-place\nself float32 (2, 3) slices=last\nindex int64 (1) fill=first\n"
                 "source float32 (1, 3)\nalpha int64 () fill=ones\n"));
  // The functional form copies all of self.
  EXPECT_TRUE(is_refused(
      "index_add functional\nself float32 (2, 3) slices=last\nindex int64 (1) fill=first\n"
      "source float32 (1, 3)\nalpha int64 () fill=ones\n"));
  EXPECT_TRUE(
      is_refused("index_select functional dim=1\nself float32 (2, 3) slices=last\n"
                 "index int64 (1) fill=first\n"));
  EXPECT_TRUE(
      is_refused("index_select functional\nself float32 (2, 3) offset=1 slices=last\n"
                 "index int64 (1) fill=first\n"));
  EXPECT_TRUE(is_refused(
      "index_select functional\nself float32 () slices=last\nindex int64 (1) fill=first\n"));
  EXPECT_TRUE(
      is_refused("index_select functional\nself float32 (0, 3) slices=last\n"
                 "index int64 (0) fill=first\n"));
  EXPECT_TRUE(
      is_refused("index_select functional\nself float32 (2, 3)\nindex int64 (1) "
                 "slices=last\n"));
  // int32 has no index as high.
  EXPECT_TRUE(is_refused(
      "index_select functional\nself float32 (2) slices=last\nindex int32 (1) fill=first\n"));
  EXPECT_FALSE(is_refused(
      "index_select functional\nself float32 (2, 4) slices=last\nindex int32 (1) fill=first\n"));
}

TEST(Table, IsDrawnOfEachOperatorThatTakesOne) {
  std::set<std::string_view> drawn, able;
  for (const OperatorInfo* op : operators())
    if (op->table != nullptr) able.insert(op->name);
  const std::vector<Target> targets = all_targets();
  Case c;
  for (std::uint64_t i = 0; i < 400'000 && drawn.size() < able.size(); ++i) {
    draw_case(1, 0, i, targets, {}, c);
    if (!has_table(c)) continue;
    EXPECT_EQ(why_illegal(c), "") << to_text(c);
    drawn.insert(operator_of(c).name);
  }
  EXPECT_EQ(drawn, able);
}

}  // namespace
}  // namespace indexfuzz
