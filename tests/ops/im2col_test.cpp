// im2col's oracle, windows and rules, by hand.

#include <fmt/format.h>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

std::string call_with(std::string_view kernel, int dilation, int padding, std::string_view stride) {
  const auto pair = [](std::string_view name, std::string_view sizes) {
    return fmt::format("{0}_height={1} {0}_width={2}", name, sizes[0], sizes[1]);
  };
  return fmt::format("{} dilation={} padding={} {}", pair("kernel", kernel), dilation, padding,
                     pair("stride", stride));
}

std::string case_with(std::string_view call, std::string_view self) {
  return fmt::format("im2col functional {}\nself {}\n", call, self);
}

TEST(Im2col, AColumnHoldsAWindowRowByRow) {
  // Of 0 1 2 / 3 4 5 the windows of 1 x 2 at 0, 1, 3 and 4.
  EXPECT_EQ(oracle_of(case_with(call_with("12", 1, 0, "11"), "float32 (1, 2, 3)"),
                      {bytes_of<float>({0, 1, 2, 3, 4, 5})}),
            bytes_of<float>({0, 1, 3, 4,  //
                             1, 2, 4, 5}));
  // One window of 2 x 2.
  EXPECT_EQ(oracle_of(case_with(call_with("22", 1, 0, "11"), "float32 (1, 2, 2)"),
                      {bytes_of<float>({1, 2, 3, 4})}),
            bytes_of<float>({1, 2, 3, 4}));
}

TEST(Im2col, ChannelsAndBatchesFollowOneAnother) {
  // In each of 2 x 2 planes of one row two windows.
  EXPECT_EQ(oracle_of(case_with(call_with("11", 1, 0, "12"), "float32 (2, 2, 1, 3)"),
                      {bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}),
            bytes_of<float>({1, 3, 4, 6, 7, 9, 10, 12}));
}

TEST(Im2col, PaddingIsZeroAndADilationLeavesOutWhatLiesBetween) {
  // Padded, 1 2 3 is 0 1 2 3 0 in a row between two of zeros. Places lie two apart.
  EXPECT_EQ(oracle_of(case_with(call_with("12", 2, 1, "21"), "float32 (1, 1, 3)"),
                      {bytes_of<float>({1, 2, 3})}),
            bytes_of<float>({0, 0, 0, 0, 0, 0,  //
                             0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(oracle_of(case_with(call_with("12", 2, 1, "11"), "float32 (1, 1, 3)"),
                      {bytes_of<float>({1, 2, 3})}),
            bytes_of<float>({0, 0, 0, 0, 1, 2, 0, 0, 0,  //
                             0, 0, 0, 2, 3, 0, 0, 0, 0}));
}

TEST(Im2col, ShapesFollowFromTheWindows) {
  EXPECT_EQ(result_shape_of(case_with(call_with("23", 1, 0, "12"), "float32 (2, 4, 7)")),
            (Dims{2 * 6, 3 * 3}));
  EXPECT_EQ(result_shape_of(case_with(call_with("23", 2, 1, "11"), "bool (0, 2, 4, 7)")),
            (Dims{0, 2 * 6, 4 * 5}));
  const auto error_with = [](std::string_view call) {
    return error_of(case_with(call, "complex64 (1, 2, 3)"));
  };
  EXPECT_EQ(error_with(call_with("23", 1, 0, "99")), "");
  EXPECT_THAT(error_with(call_with("33", 1, 0, "11")), HasSubstr("kernel_height must be 2"));
  EXPECT_THAT(error_with(call_with("21", 2, 0, "11")), HasSubstr("dilation must be 1"));
  EXPECT_THAT(error_with(call_with("11", 1, 5, "11")), HasSubstr("padding must be 0"));
  EXPECT_THAT(error_of(case_with(call_with("11", 1, 0, "11"), "int16 (1, 2, 3)")),
              HasSubstr("self: its dtype must be"));
  EXPECT_THAT(error_of(case_with(call_with("11", 1, 0, "11"), "float32 (0, 2, 3)")),
              HasSubstr("self: its shape must be (1, 2, 3)"));
}

TEST(Im2col, RulesApplyToAnImageWithElements) {
  RuleCases rules("im2col");
  const std::string call = "functional " + call_with("12", 1, 0, "11"),
                    out_form = "out " + call_with("12", 1, 0, "11");
  constexpr std::string_view kImage = "self float32 (2, 2, 3)\n",
                             kNone = "self float32 (0, 2, 2, 3)\n";
  const std::string out = std::string(kImage) + "out float32 (4, 4)\n",
                    resized = std::string(kImage) + "out float32 (0)\n";
  EXPECT_EQ(rules.applies("self_empty", call, kImage).operands[0].shape, (Dims{2, 2, 0}));
  EXPECT_EQ(rules.applies("rank_above", call, kImage).operands[0].shape, (Dims{1, 1, 2, 2, 3}));
  EXPECT_EQ(rules.applies("rank_below", call, kImage).operands[0].shape, (Dims{2, 3}));
  for (const auto& [rule, attribute, value] :
       {std::tuple("kernel_zero", 1, 0), std::tuple("dilation_zero", 2, 0),
        std::tuple("padding_below", 3, -1), std::tuple("stride_zero", 5, 0),
        std::tuple("kernel_above", 1, 4)})
    EXPECT_EQ(rules.applies(rule, call, kImage).attributes[static_cast<std::size_t>(attribute)],
              value)
        << rule;
  for (const auto& [list, first] : {std::pair("kernel_size", 0), std::pair("dilation", 2),
                                    std::pair("padding", 3), std::pair("stride", 4)}) {
    const auto slot = static_cast<std::int8_t>(first);
    EXPECT_EQ(rules.applies(std::string(list) + "_empty", call, kImage).misfit_list,
              (MisfitList{slot, true}));
    EXPECT_EQ(rules.applies(std::string(list) + "_longer", call, kImage).misfit_list,
              (MisfitList{slot, false}));
  }
  EXPECT_EQ(rules.applies("padding_overflows", call, kImage).attributes[3], INT64_MAX);
  const auto attributes = rules.applies("kernel_overflows", call, kImage).attributes;
  EXPECT_EQ(std::pair(attributes[0], attributes[1]), std::pair(INT64_MAX - 1, INT64_MAX - 1));
  EXPECT_EQ(attributes[2], 2);
  EXPECT_EQ(rules.applies("out_dtype", out_form, out).operands[1].dtype, Dtype::kDouble);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", out_form, out).operands[1].layout));

  for (const IllegalRule& rule : find_operator("im2col")->rules) {
    if (!rule.name.starts_with("out_")) rules.does_not_apply(rule.name, call, kNone);
  }
  rules.does_not_apply("rank_above", out_form, out);
  rules.does_not_apply("out_dtype", call, kImage);
  rules.does_not_apply("out_overlaps_itself", out_form, resized);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
