// max_pool2d_with_indices_backward's oracle, windows and rules, by hand. What it shares with
// adaptive pooling stands in adaptive_max_pool2d_backward_test.cpp.

#include <fmt/format.h>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MaxPool2dWithIndicesBackward, AddsEveryElementToTheNamedOneOfItsPlane) {
  // Windows of 2 over 3 elements, one element apart.
  EXPECT_EQ(oracle_of("max_pool2d_with_indices_backward functional window_height=1 window_width=2 "
                      "stride_height=1 stride_width=1 padding=0 dilation=1\n"
                      "self float32 (2, 1, 3)\nindices int64 (2, 1, 2) fill=first\n"
                      "grad_output float32 (2, 1, 2) fill=sums1\n",
                      {bytes_of<float>({9, 9, 9, 9, 9, 9}), bytes_of<std::int64_t>({1, 1, 0, 2}),
                       bytes_of<float>({1, 2, 4, 8})}),
            bytes_of<float>({0, 3, 0, 4, 0, 8}));
}

/// A call with windows of the same size, strides, padding and dilation along both dimensions.
std::string call_with(int size, int stride, int padding, int dilation) {
  const auto twice = [](std::string_view name, int value) {
    const std::string text = std::to_string(value);
    return fmt::format("{0}_height={1} {0}_width={1} ", name, text);
  };
  return "functional " + twice("window", size) + twice("stride", stride) +
         "padding=" + std::to_string(padding) + " dilation=" + std::to_string(dilation);
}

/// A plane, and one of windows over it.
std::string operands_with(std::string_view self, std::string_view windows, std::string_view fill) {
  return fmt::format(
      "self float32 (1, {0})\nindices int64 (1, {1}) fill={2}\n"
      "grad_output float32 (1, {1}) fill=sums1\n",
      self, windows, fill);
}

std::string case_with(const std::string& call, const std::string& operands) {
  return "max_pool2d_with_indices_backward " + call + "\n" + operands;
}

std::vector<std::int64_t> indices_of(const std::string& text) {
  return bits_of<std::int64_t>(expectation(written(text)).operands[1]);
}

TEST(MaxPool2dWithIndicesBackward, IndicesNameElementsOfTheirWindows) {
  // Windows of 2 x 2 that lie side by side, over 4 x 5: they begin at 0, 2, 10 and 12.
  const std::string apart = call_with(2, 2, 0, 1);
  EXPECT_THAT(indices_of(case_with(apart, operands_with("4, 5", "2, 2", "first"))),
              ElementsAre(0, 2, 10, 12));
  // Element 19 is the last of the third row's and of the fifth column's continuation.
  EXPECT_THAT(indices_of(case_with(apart, operands_with("4, 5", "2, 2", "last"))),
              ElementsAre(5, 7, 15, 17));
  // Windows of 3 x 3, one element apart: element 1 lies in two of them; the other two go on where
  // that window would lie next.
  EXPECT_THAT(indices_of(case_with(call_with(3, 1, 0, 1),
                                   operands_with("4, 4", "2, 2", "few1 repeats=(1, 2) seed=1"))),
              ElementsAre(1, 1, 13, 13));
}

TEST(MaxPool2dWithIndicesBackward, IndicesNameNoPadding) {
  // The four windows of 2 x 2 over a padded single element.
  EXPECT_THAT(indices_of(case_with(call_with(2, 1, 1, 1), operands_with("1, 1", "2, 2", "last"))),
              ElementsAre(0, 0, 0, 0));
  // Over 3 x 3 the outer windows hold one or two elements.
  for (const std::string_view fill : {"ascending", "descending", "random1 seed=5"}) {
    const std::vector<std::int64_t> indices =
        indices_of(case_with(call_with(2, 1, 1, 1), operands_with("3, 3", "4, 4", fill)));
    for (std::int64_t i = 0; i < 16; ++i) {
      const std::int64_t row = indices[static_cast<std::size_t>(i)] / 3,
                         column = indices[static_cast<std::size_t>(i)] % 3;
      EXPECT_TRUE(row == i / 4 || row == i / 4 - 1) << fill << i;
      EXPECT_TRUE(column == i % 4 || column == i % 4 - 1) << fill << i;
    }
  }
}

TEST(MaxPool2dWithIndicesBackward, IndicesNameWhatLiesBetweenNoGaps) {
  // A window of two elements, three apart.
  EXPECT_THAT(indices_of(case_with("functional window_height=1 window_width=2 stride_height=1 "
                                   "stride_width=1 padding=0 dilation=3",
                                   "self float32 (1, 1, 5)\nindices int64 (1, 1, 2) "
                                   "fill=ascending\ngrad_output float32 (1, 1, 2) fill=sums1\n")),
              ElementsAre(0, 1));
  EXPECT_THAT(indices_of(case_with("functional window_height=1 window_width=2 stride_height=1 "
                                   "stride_width=1 padding=0 dilation=3",
                                   "self float32 (1, 1, 5)\nindices int64 (1, 1, 2) "
                                   "fill=last\ngrad_output float32 (1, 1, 2) fill=sums1\n")),
              ElementsAre(3, 4));
}

TEST(MaxPool2dWithIndicesBackward, WindowsEndWithinThePaddedPlane) {
  const auto error_with = [](const std::string& call, std::string_view windows) {
    return error_of(case_with(call, operands_with("4, 5", windows, "first")));
  };
  EXPECT_EQ(error_with(call_with(2, 1, 0, 1), "3, 4"), "");
  EXPECT_THAT(error_with(call_with(2, 1, 0, 1), "3, 3"), HasSubstr("its shape must be (1, 3, 4)"));
  EXPECT_EQ(error_with(call_with(2, 1, 1, 1), "5, 6"), "");
  EXPECT_EQ(error_with(call_with(3, 2, 1, 1), "2, 3"), "");
  // Two elements that lie two apart.
  EXPECT_EQ(error_with(call_with(2, 1, 0, 2), "2, 3"), "");
  EXPECT_THAT(error_with(call_with(0, 1, 0, 1), "4, 5"), HasSubstr("window_height must be 1"));
  EXPECT_THAT(error_with(call_with(5, 1, 0, 1), "1, 1"), HasSubstr("window_height must be 4"));
  EXPECT_THAT(error_with(call_with(2, 0, 0, 1), "3, 4"), HasSubstr("stride_height must be 1"));
  EXPECT_THAT(error_with(call_with(2, 1, 2, 1), "3, 4"), HasSubstr("padding must be 0"));
  EXPECT_THAT(error_with(call_with(2, 1, 0, 0), "3, 4"), HasSubstr("dilation must be 1"));
  EXPECT_THAT(error_with(call_with(2, 1, 0, 4), "1, 1"), HasSubstr("dilation must be 3"));
}

TEST(MaxPool2dWithIndicesBackward, NoWindowLiesInThePaddingAlone) {
  // Of elements that lie two apart, a window that begins before a single one holds none.
  const auto error_with = [](int dilation, std::string_view windows) {
    return error_of(
        case_with(call_with(2, 1, 1, dilation), operands_with("1, 1", windows, "first")));
  };
  EXPECT_EQ(error_with(1, "2, 2"), "");
  EXPECT_THAT(error_with(2, "1, 1"), HasSubstr("dilation must be 1"));
}

TEST(MaxPool2dWithIndicesBackward, IndicesOfDifferentWindowsShareNoMemory) {
  const std::string call =
      "functional window_height=1 window_width=2 stride_height=1 "
      "stride_width=1 padding=0 dilation=1";
  const auto error_with = [&](std::string_view layout) {
    return error_of(
        case_with(call, fmt::format("self float32 (2, 1, 3)\nindices int64 (2, 1, 2) {}\n"
                                    "grad_output float32 (2, 1, 2) fill=sums1\n",
                                    layout)));
  };
  EXPECT_EQ(error_with("expanded=(0) fill=first repeats=(0)"), "");
  EXPECT_THAT(error_with("expanded=(2) fill=first repeats=(2)"), HasSubstr("expanded"));
  EXPECT_THAT(error_with("slides=(1) fill=first"), HasSubstr("must not slide"));
}

TEST(MaxPool2dWithIndicesBackward, ABatchMayBeEmpty) {
  const std::string text =
      case_with(call_with(2, 1, 0, 1),
                "self float32 (0, 2, 3, 3)\nindices int64 (0, 2, 2, 2) fill=first\n"
                "grad_output float32 (0, 2, 2, 2) fill=sums1\n");
  EXPECT_THAT(oracle_of(text), IsEmpty());
  EXPECT_EQ(result_shape_of(text), (Dims{0, 2, 3, 3}));
}

TEST(MaxPool2dWithIndicesBackward, WhatMeetsInOneElementFollowsFromTheWindows) {
  const auto terms_with = [](const std::string& call, std::string_view windows) {
    const Case c = written(case_with(call, operands_with("8, 8", windows, "first")));
    return operator_of(c).terms(c, 2);
  };
  EXPECT_EQ(terms_with(call_with(2, 2, 0, 1), "4, 4"), 1);
  EXPECT_EQ(terms_with(call_with(2, 1, 0, 1), "7, 7"), 4);
  EXPECT_EQ(terms_with(call_with(3, 2, 0, 1), "3, 3"), 4);
  // Of places two apart either all or none lie a stride of 2 from an element.
  EXPECT_EQ(terms_with(call_with(3, 2, 0, 2), "2, 2"), 4);
  EXPECT_EQ(terms_with(call_with(8, 1, 0, 1), "1, 1"), 1);
}

TEST(MaxPool2dWithIndicesBackward, RulesApplyWhereSomethingIsAdded) {
  RuleCases rules("max_pool2d_with_indices_backward");
  const std::string call = call_with(2, 1, 0, 1), padded = call_with(2, 1, 1, 1);
  const std::string out_form = "out" + call.substr(std::string("functional").size());
  constexpr std::string_view kPlanes =
      "self float32 (2, 2, 3)\nindices int64 (2, 1, 2) fill=first\n"
      "grad_output float32 (2, 1, 2) fill=sums1\n";
  constexpr std::string_view kPlane =
      "self float32 (1, 2, 2)\nindices int64 (1, 1, 1) fill=first\n"
      "grad_output float32 (1, 1, 1) fill=sums1\n";
  constexpr std::string_view kPadded =
      "self float32 (1, 2, 2)\nindices int64 (1, 3, 3) fill=first\n"
      "grad_output float32 (1, 3, 3) fill=sums1\n";
  constexpr std::string_view kLarge =
      "self float32 (1, 4, 5)\nindices int64 (1, 3, 4) fill=first\n"
      "grad_output float32 (1, 3, 4) fill=sums1\n";
  constexpr std::string_view kBatch =
      "self float32 (2, 1, 2, 3)\nindices int64 (2, 1, 1, 2) fill=first\n"
      "grad_output float32 (2, 1, 1, 2) fill=sums1\n";
  constexpr std::string_view kNoPlanes =
      "self float32 (0, 1, 2, 3)\nindices int64 (0, 1, 1, 2) fill=first\n"
      "grad_output float32 (0, 1, 1, 2) fill=sums1\n";
  const std::string out = std::string(kPlanes) + "out float32 (2, 2, 3)\n";
  const std::string resized = std::string(kPlanes) + "out float32 (0)\n";
  const std::size_t width = 1, stride_width = 3, padding = 4, dilation = 5;

  EXPECT_EQ(rules.applies("index_below", call, kPlanes).operands[1].poke_value, -1);
  EXPECT_EQ(rules.applies("index_above", call, kPlanes).operands[1].poke_value, 6);
  EXPECT_EQ(rules.applies("index_dtype", call, kPlanes).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", call, kPlanes).operands[1].dtype, Dtype::kInt16);
  EXPECT_EQ(rules.applies("indices_shape", call, kPlanes).operands[1].shape, (Dims{2, 1, 3}));
  EXPECT_EQ(rules.applies("grad_dtype", call, kPlanes).operands[2].dtype, Dtype::kInt32);
  EXPECT_EQ(rules.applies("indices_planes", call, kPlanes).operands[1].shape, (Dims{1, 1, 2}));
  EXPECT_EQ(rules.applies("indices_planes", call, kPlane).operands[1].shape, (Dims{2, 1, 1}));
  for (const std::size_t operand : {1, 2}) {
    const auto shape_after = [&](std::string_view rule, std::string_view operands) {
      return rules.applies(rule, call, operands).operands[operand].shape;
    };
    EXPECT_EQ(shape_after("planes_above", kPlanes), (Dims{3, 1, 2}));
    EXPECT_EQ(shape_after("planes_below", kPlanes), (Dims{1, 1, 2}));
    EXPECT_EQ(shape_after("grad_rank", kPlanes), (Dims{2, 1, 2, 1}));
    EXPECT_EQ(shape_after("rank_above", kBatch), (Dims{2, 1, 1, 2, 1}));
    EXPECT_EQ(shape_after("rank_below", kPlanes), (Dims{2, 1}));
    EXPECT_EQ(shape_after("windows_above", kPlanes), (Dims{2, 1, 3}));
    EXPECT_EQ(shape_after("windows_below", kPlanes), (Dims{2, 1, 1}));
    // As many as there are with the attribute that is wrong.
    EXPECT_EQ(shape_after("window_zero", kPlanes), (Dims{2, 1, 4}));
    EXPECT_EQ(shape_after("stride_zero", kPlanes), (Dims{2, 1, 2}));
    EXPECT_EQ(shape_after("dilation_zero", kPlanes), (Dims{2, 2, 3}));
    EXPECT_EQ(shape_after("padding_above", kPlane), (Dims{1, 5, 5}));
    EXPECT_EQ(shape_after("padding_below", kLarge), (Dims{1, 1, 2}));
  }
  EXPECT_EQ(rules.applies("self_empty", call, kPlanes).operands[0].shape, (Dims{2, 2, 0}));
  EXPECT_EQ(rules.applies("out_dtype", out_form, out).operands[3].dtype, Dtype::kDouble);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", out_form, out).operands[3].layout));
  const auto attributes_after = [&](std::string_view rule, std::string_view operands) {
    return rules.applies(rule, call, operands).attributes;
  };
  EXPECT_EQ(attributes_after("window_zero", kPlanes)[width], 0);
  EXPECT_EQ(attributes_after("stride_zero", kPlanes)[stride_width], 0);
  EXPECT_EQ(attributes_after("dilation_zero", kPlanes)[dilation], 0);
  EXPECT_EQ(attributes_after("padding_above", kPlane)[padding], 2);
  EXPECT_EQ(attributes_after("padding_below", kLarge)[padding], -1);
  for (const auto& [rule, misfit] : {std::pair("kernel_size_empty", MisfitList{0, true}),
                                     std::pair("kernel_size_longer", MisfitList{0, false}),
                                     std::pair("stride_longer", MisfitList{2, false}),
                                     std::pair("padding_empty", MisfitList{4, true}),
                                     std::pair("dilation_empty", MisfitList{5, true})})
    EXPECT_EQ(rules.applies(rule, call, kPlanes).misfit_list, misfit) << rule;

  for (const IllegalRule& rule : find_operator("max_pool2d_with_indices_backward")->rules) {
    const bool may_be_empty = rule.name.starts_with("rank_") || rule.name.starts_with("out_") ||
                              rule.name.starts_with("index_dtype") || rule.name == "grad_dtype";
    if (!may_be_empty) rules.does_not_apply(rule.name, call, kNoPlanes);
  }
  rules.does_not_apply("planes_below", call, kPlane);
  rules.does_not_apply("windows_below", call, kPlane);
  rules.does_not_apply("window_zero", padded, kPadded);
  rules.does_not_apply("padding_below", call, kPlane);
  rules.does_not_apply("rank_above", out_form, out);
  rules.does_not_apply("rank_below", out_form, out);
  rules.does_not_apply("rank_below", call, kBatch);
  rules.does_not_apply("self_empty", out_form, out);
  rules.does_not_apply("out_dtype", call, kPlanes);
  rules.does_not_apply("out_overlaps_itself", out_form, resized);
  rules.all_tried({"index_dtype", "index_dtype_narrow", "grad_dtype"});
}

}  // namespace
}  // namespace indexfuzz
