// col2im's oracle, shapes and rules, by hand.

#include <fmt/format.h>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string case_with(std::string_view call, std::string_view self) {
  return fmt::format("col2im.{}\nself {} fill=sums1\n", call, self);
}

TEST(Col2im, WhatWindowsShareIsAdded) {
  // Windows of 2 x 2 over 2 x 3: elements 0 1 3 4 and 1 2 4 5.
  EXPECT_EQ(oracle_of(case_with("oblong functional output_height=2 output_width=3 kernel=2 "
                                "dilation=1 padding=0 stride=1",
                                "float32 (4, 2)"),
                      {bytes_of<float>({1, 16, 2, 32, 4, 64, 8, 128})}),
            bytes_of<float>({1, 2 + 16, 32, 4, 8 + 64, 128}));
}

TEST(Col2im, OfAWindowThePaddingIsLeftOut) {
  // Windows of 1 x 2 at -1 and 1 of a padded row, in the rows -1, 0, 1 and 2.
  EXPECT_EQ(oracle_of(case_with("windows functional output=2 kernel_height=1 kernel_width=2 "
                                "dilation=1 padding=1 stride=2",
                                "float32 (2, 4)"),
                      {bytes_of<float>({1, 2, 4, 8, 16, 32, 64, 128})}),
            bytes_of<float>({0, 0, 64, 8}));
}

TEST(Col2im, PlacesLieADilationApartAndRowsAStride) {
  // Windows of 2 x 2 places two apart, over 5 x 5 at rows 0 and 2 and at column 0 alone.
  EXPECT_EQ(oracle_of(case_with("strides functional output=5 kernel=2 dilation=2 padding=0 "
                                "stride_height=2 stride_width=3",
                                "float32 (4, 2)"),
                      {bytes_of<float>({1, 2, 4, 8, 16, 32, 64, 128})}),
            bytes_of<float>({1,      0, 4,      0, 0,  //
                             0,      0, 0,      0, 0,  //
                             2 + 16, 0, 8 + 64, 0, 0,  //
                             0,      0, 0,      0, 0,  //
                             32,     0, 128,    0, 0}));
}

constexpr std::string_view kSmall =
    "oblong functional output_height=1 output_width=2 kernel=1 dilation=1 padding=0 stride=1";

TEST(Col2im, ChannelsAndBatchesFollowOneAnother) {
  EXPECT_EQ(oracle_of(case_with(kSmall, "bool (2, 2, 2)"),
                      {bytes_of<std::uint8_t>({1, 0, 0, 1, 1, 1, 0, 0})}),
            bytes_of<std::uint8_t>({1, 0, 0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(result_shape_of(case_with(kSmall, "float32 (2, 3, 2)")), (Dims{2, 3, 1, 2}));
  EXPECT_EQ(result_shape_of(case_with(kSmall, "float32 (3, 2)")), (Dims{3, 1, 2}));
  EXPECT_THAT(oracle_of(case_with(kSmall, "float32 (0, 3, 2)")), IsEmpty());
}

TEST(Col2im, RowsAndColumnsFollowFromTheWindows) {
  const auto error_with = [](std::string_view self) {
    return error_of(
        case_with("windows functional output=3 kernel_height=2 kernel_width=1 "
                  "dilation=1 padding=0 stride=1",
                  self));
  };
  EXPECT_EQ(error_with("float16 (4, 6)"), "");
  EXPECT_THAT(error_with("float16 (5, 6)"), HasSubstr("self: its shape must be (4, 6)"));
  EXPECT_THAT(error_with("float16 (4, 5)"), HasSubstr("self: its shape must be (4, 6)"));
  EXPECT_THAT(error_with("float16 (0, 6)"), HasSubstr("self: its shape must be"));
  EXPECT_THAT(error_with("int32 (4, 6)"), HasSubstr("self: its dtype must be"));
}

TEST(Col2im, RulesApplyToColumnsWithElements) {
  RuleCases rules("col2im");
  constexpr std::string_view kOblong =
      ".oblong functional output_height=2 output_width=3 kernel=2 dilation=1 padding=0 stride=1";
  constexpr std::string_view kOut =
      ".oblong out output_height=2 output_width=3 kernel=2 dilation=1 padding=0 stride=1";
  constexpr std::string_view kOne =
      ".strides functional output=1 kernel=1 dilation=1 padding=0 stride_height=1 stride_width=1";
  constexpr std::string_view kColumns = "self float32 (8, 2) fill=sums1\n",
                             kNone = "self float32 (0, 4, 2) fill=sums1\n",
                             kSingle = "self float32 (3, 1) fill=sums1\n";
  const std::string out = std::string(kColumns) + "out float32 (2, 2, 3)\n",
                    resized = std::string(kColumns) + "out float32 (0)\n";
  const auto shape_after = [&](std::string_view rule) {
    return rules.applies(rule, kOblong, kColumns).operands[0].shape;
  };
  EXPECT_EQ(shape_after("self_empty"), (Dims{8, 0}));
  EXPECT_EQ(shape_after("rank_above"), (Dims{1, 1, 8, 2}));
  EXPECT_EQ(shape_after("rank_below"), (Dims{2}));
  EXPECT_EQ(shape_after("columns_above"), (Dims{8, 3}));
  EXPECT_EQ(shape_after("columns_below"), (Dims{8, 1}));
  EXPECT_EQ(shape_after("rows_above"), (Dims{9, 2}));
  for (const auto& [rule, attribute, value] :
       {std::tuple("output_zero", 1, 0), std::tuple("kernel_zero", 2, 0),
        std::tuple("dilation_zero", 3, 0), std::tuple("padding_below", 4, -1),
        std::tuple("stride_zero", 5, 0)})
    EXPECT_EQ(
        rules.applies(rule, kOblong, kColumns).attributes[static_cast<std::size_t>(attribute)],
        value)
        << rule;
  for (const auto& [list, first] :
       {std::pair("output_size", 0), std::pair("kernel_size", 2), std::pair("dilation", 3),
        std::pair("padding", 4), std::pair("stride", 5)}) {
    const auto slot = static_cast<std::int8_t>(first);
    EXPECT_EQ(rules.applies(std::string(list) + "_empty", kOblong, kColumns).misfit_list,
              (MisfitList{slot, true}));
    EXPECT_EQ(rules.applies(std::string(list) + "_longer", kOblong, kColumns).misfit_list,
              (MisfitList{slot, false}));
  }
  EXPECT_EQ(rules.applies("padding_overflows", kOblong, kColumns).attributes[4], INT64_MAX);
  EXPECT_EQ(rules.applies("kernel_overflows", kOblong, kColumns).attributes[2], INT64_MAX - 1);
  EXPECT_EQ(rules.applies("out_dtype", kOut, out).operands[1].dtype, Dtype::kDouble);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", kOut, out).operands[1].layout));

  for (const IllegalRule& rule : find_operator("col2im")->rules) {
    if (!rule.name.starts_with("out_")) rules.does_not_apply(rule.name, kOblong, kNone);
  }
  rules.does_not_apply("columns_below", kOne, kSingle);
  rules.does_not_apply("rows_above", kOne, kSingle);
  rules.does_not_apply("rank_above", kOut, out);
  rules.does_not_apply("out_dtype", kOblong, kColumns);
  rules.does_not_apply("out_overlaps_itself", kOut, resized);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
