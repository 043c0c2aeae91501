// constant_pad_nd's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

constexpr std::string_view kMinusOne = "value int64 ()\n", kZero = "value int64 () fill=zeros\n";

List padded(std::string_view call, std::string_view self, std::string_view value = kZero) {
  return oracle_of("constant_pad_nd." + std::string(call) + "\n" + std::string(self) +
                   std::string(value));
}

TEST(ConstantPadNd, SurroundsRowsAndColumns) {
  EXPECT_EQ(padded("one functional left=1 right=2", "self int64 (2)\n", kMinusOne),
            (List{-1, 1, 2, -1, -1}));
  EXPECT_EQ(padded("two functional left=0 right=1 top=1 bottom=0", "self int64 (2, 2)\n"),
            (List{0, 0, 0, 1, 2, 0, 3, 4, 0}));
}

TEST(ConstantPadNd, PadsTheLastDimensionFirst) {
  EXPECT_EQ(padded("one functional left=1 right=0", "self int64 (3, 1)\n"),
            (List{0, 1, 0, 2, 0, 3}));
  EXPECT_EQ(padded("three functional left=0 right=0 top=0 bottom=0 front=0 back=1",
                   "self int64 (2, 1, 1, 2)\n"),
            (List{1, 2, 0, 0, 3, 4, 0, 0}));
}

TEST(ConstantPadNd, NegativePaddingsCutElementsOff) {
  EXPECT_EQ(padded("one functional left=-1 right=-1", "self int64 (2, 3)\n"), (List{2, 5}));
  EXPECT_EQ(padded("one functional left=-2 right=2", "self int64 (3)\n"), (List{3, 0, 0}));
  EXPECT_EQ(padded("two functional left=1 right=-1 top=-1 bottom=0", "self int64 (2, 2)\n"),
            (List{0, 3}));
  EXPECT_THAT(padded("one functional left=-3 right=0", "self int64 (2, 3)\n"), IsEmpty());
}

TEST(ConstantPadNd, OfNoElementsAllIsPadding) {
  EXPECT_EQ(padded("two functional left=0 right=0 top=1 bottom=1", "self int64 (0, 2)\n"),
            (List{0, 0, 0, 0}));
  EXPECT_EQ(padded("one functional left=-2 right=2", "self int64 (2)\n"), (List{0, 0}));
  EXPECT_EQ(padded("two functional left=0 right=1 top=0 bottom=0", "self int64 (2, 0)\n"),
            (List{0, 0}));
}

TEST(ConstantPadNd, MovesBytesUnchangedAndConvertsTheValue) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "constant_pad_nd.one functional left=1 right=0\nself float16 (2)\n"
                  "value int64 () fill=ones\n",
                  {bytes_of<std::uint16_t>({0x8000, 0x7C01}), bytes_of<std::int64_t>({1})})),
              ElementsAre(0x3C00, 0x8000, 0x7C01));
}

TEST(ConstantPadNd, NoMoreIsCutOffThanThereIs) {
  EXPECT_THAT(error_of("constant_pad_nd.one functional left=-4 right=0\nself int64 (3)\n" +
                       std::string(kZero)),
              HasSubstr("left must be 0"));
  EXPECT_THAT(error_of("constant_pad_nd.one functional left=-2 right=-2\nself int64 (3)\n" +
                       std::string(kZero)),
              HasSubstr("right must be 0"));
}

TEST(ConstantPadNd, RulesApplyWhereATenLooks) {
  RuleCases rules("constant_pad_nd");
  constexpr std::string_view kCall = ".one functional left=1 right=1",
                             kOutForm = ".one out left=1 right=1";
  const auto with = [](std::string_view self, std::string_view value, std::string_view out = "") {
    return std::string(self) + std::string(value) + std::string(out);
  };
  const std::string kThree = with("self int64 (3)\n", kZero),
                    kOut = with("self int64 (3)\n", kZero, "out int64 (5)\n");
  EXPECT_THAT(rules.applies("rank_below", kCall, kThree).operands[0].shape, IsEmpty());
  rules.does_not_apply("rank_below", kOutForm, kOut);
  const Case cut = rules.applies("cut_off_too_many", kCall, kThree);
  EXPECT_EQ(cut.attributes[0] + cut.attributes[1], -4);
  rules.does_not_apply("cut_off_too_many", kOutForm, kOut);
  const Case added = rules.applies("cut_off_added", kCall, kThree);
  EXPECT_THAT((std::array{added.attributes[0], added.attributes[1]}),
              ::testing::UnorderedElementsAre(-4, 2));
  rules.does_not_apply("cut_off_added", kOutForm, kOut);
  EXPECT_THAT(rules.applies("padding_overflows", kCall, kThree).attributes[1], INT64_MAX);
  rules.does_not_apply("padding_overflows", kCall, with("self int64 (2)\n", kZero));
  EXPECT_EQ(rules.applies("value_complex", kCall, kThree).operands[1].dtype, Dtype::kComplexDouble);
  rules.does_not_apply("value_complex", kCall, with("self complex64 (3)\n", kZero));
  rules.applies("value_overflows", kCall, with("self int8 (3)\n", kZero));
  rules.does_not_apply("value_overflows", kOutForm, kOut);
  rules.does_not_apply("value_overflows", kCall, with("self int8 (0, 3)\n", kZero));
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kThree);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm,
                       with("self int64 (3)\n", kZero, "out int64 (0)\n"));
  EXPECT_EQ(rules.applies("padding_odd", kCall, kThree).misfit_list, (MisfitList{0, false}));
  rules.all_tried({"padding_odd"});
}

}  // namespace
}  // namespace indexfuzz
