// max_pool2d_with_indices' oracle, windows and rules, by hand. self holds 1, 2, 3, … in row-major
// order.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using List = std::vector<double>;

/// A call with windows of the same size, strides, padding and dilation along both dimensions.
std::string call_with(int size, int stride, int padding, int dilation) {
  return fmt::format(
      "functional window_height={0} window_width={0} stride_height={1} stride_width={1} "
      "padding={2} dilation={3}",
      size, stride, padding, dilation);
}

std::string values_of(std::string_view call, std::string_view self) {
  return fmt::format("max_pool2d_with_indices.values {}\nself {}\n", call, self);
}
std::string indices_of(std::string_view call, std::string_view self) {
  return fmt::format("max_pool2d_with_indices.indices {}\nself {}\n", call, self);
}

/// The indices that are right for each window; one that is no other is left out.
std::vector<std::vector<std::int64_t>> admissible_of(const std::string& text) {
  std::vector<std::vector<std::int64_t>> all;
  for (const auto& values : expectation(written(text)).admissible) {
    auto& indices = all.emplace_back();
    for (const auto& value : values) indices.push_back(bits_of<std::int64_t>(value).front());
  }
  return all;
}

TEST(MaxPool2dWithIndices, ReturnsTheLargestElementAndItsPlace) {
  const std::string call = call_with(2, 1, 0, 1);
  EXPECT_EQ(oracle_of(values_of(call, "float32 (1, 3, 3)")), (List{5, 6, 8, 9}));
  EXPECT_EQ(oracle_of(indices_of(call, "float32 (1, 3, 3)")), (List{4, 5, 7, 8}));
  EXPECT_EQ(result_shape_of(indices_of(call, "float32 (1, 3, 3)")), (Dims{1, 2, 2}));
}

TEST(MaxPool2dWithIndices, CountsPlacesInEachPlane) {
  constexpr std::string_view kCall =
      "functional window_height=1 window_width=2 stride_height=1 stride_width=2 padding=0 "
      "dilation=1";
  EXPECT_EQ(oracle_of(values_of(kCall, "float32 (2, 1, 1, 4)")), (List{2, 4, 6, 8}));
  EXPECT_EQ(oracle_of(indices_of(kCall, "float32 (2, 1, 1, 4)")), (List{1, 3, 1, 3}));
}

TEST(MaxPool2dWithIndices, ThePaddingIsLessThanAnyNumber) {
  const std::string call = call_with(2, 1, 1, 1);
  const auto self = bytes_of<float>({-3, -5});
  EXPECT_EQ(oracle_of(values_of(call, "float32 (1, 1, 2)"), {self}),
            bytes_of<float>({-3, -3, -5, -3, -3, -5}));
  EXPECT_EQ(oracle_of(indices_of(call, "float32 (1, 1, 2)"), {self}),
            bytes_of<std::int64_t>({0, 0, 1, 0, 0, 1}));
}

TEST(MaxPool2dWithIndices, NanIsLarger) {
  const std::string call = call_with(2, 1, 0, 1);
  const auto self = bytes_of<float>({1, std::nanf(""), 9, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(oracle_of(indices_of(call, "float32 (1, 2, 2)"), {self}), bytes_of<std::int64_t>({1}));
  EXPECT_TRUE(
      std::isnan(bits_of<float>(oracle_of(values_of(call, "float32 (1, 2, 2)"), {self})).front()));
}

TEST(MaxPool2dWithIndices, ComparesIntegersExactly) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;
  const auto self = bytes_of<std::int64_t>({kLarge, kLarge + 1, -1, kLarge});
  EXPECT_EQ(oracle_of(indices_of(call_with(2, 1, 0, 1), "int64 (1, 2, 2)"), {self}),
            bytes_of<std::int64_t>({1}));
  EXPECT_THAT(error_of(values_of(call_with(2, 1, 0, 1), "bool (1, 2, 2)")), HasSubstr("dtype"));
}

TEST(MaxPool2dWithIndices, AnyOfEqualElementsMayBeNamed) {
  EXPECT_THAT(admissible_of(indices_of(call_with(2, 1, 0, 1), "float32 (1, 2, 3) fill=zeros")),
              ElementsAre(UnorderedElementsAre(0, 1, 3, 4), UnorderedElementsAre(1, 2, 4, 5)));
  EXPECT_THAT(admissible_of(indices_of(call_with(2, 1, 0, 1), "float32 (1, 2, 3)")),
              ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(MaxPool2dWithIndices, AWindowOfPaddingAloneNamesAnyElement) {
  // Of places four apart, the first lies before a plane of three, the second behind it.
  const std::string call = call_with(2, 1, 1, 4);
  EXPECT_EQ(oracle_of(values_of(call, "float32 (1, 3, 3)")),
            List{-std::numeric_limits<double>::infinity()});
  const std::string indices = indices_of(call, "float32 (1, 3, 3)");
  EXPECT_THAT(admissible_of(indices), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8)));
  const auto is_aten_only = [](const std::string& text) {
    const Case c = written(text);
    return operator_of(c).aten_only(c);
  };
  EXPECT_TRUE(is_aten_only(indices));
  EXPECT_FALSE(is_aten_only(values_of(call, "float32 (1, 3, 3)")));
  EXPECT_FALSE(is_aten_only(indices_of(call_with(2, 1, 1, 3), "float32 (1, 3, 3)")));
  // No integer is infinite, and not every element of a large plane can be compared.
  EXPECT_THAT(error_of(indices_of(call, "int32 (1, 3, 3)")), HasSubstr("dilation must be 3"));
  EXPECT_THAT(error_of(indices_of(call_with(2, 1, 1, 18), "float32 (1, 17, 17)")),
              HasSubstr("dilation must be 17"));
}

TEST(MaxPool2dWithIndices, InCeilModeWindowsMayEndBehindThePlane) {
  const auto call = [](std::string_view result, int window, int stride, std::string_view ceil) {
    return fmt::format(
        "max_pool2d_with_indices.ceil_{} functional window_height=1 window_width={} stride={} "
        "ceil_mode={} padding=0 dilation=1\nself float32 (1, 1, 5)\n",
        result, window, stride, ceil);
  };
  EXPECT_EQ(oracle_of(call("values", 2, 2, "true")), (List{2, 4, 5}));
  EXPECT_EQ(oracle_of(call("indices", 2, 2, "true")), (List{1, 3, 4}));
  EXPECT_EQ(oracle_of(call("indices", 2, 2, "false")), (List{1, 3}));
  // A window that would begin behind the plane is none.
  EXPECT_EQ(oracle_of(call("values", 1, 5, "true")), List{1});
}

TEST(MaxPool2dWithIndices, ABatchMayBeEmpty) {
  const std::string text = indices_of(call_with(2, 1, 0, 1), "float32 (0, 2, 3, 3)");
  EXPECT_THAT(oracle_of(text), IsEmpty());
  EXPECT_EQ(result_shape_of(text), (Dims{0, 2, 2, 2}));
}

TEST(MaxPool2dWithIndices, WindowsFitInThePaddedPlane) {
  const auto error_with = [](int size, int stride, int padding, int dilation) {
    return error_of(values_of(call_with(size, stride, padding, dilation), "float32 (1, 4, 5)"));
  };
  EXPECT_EQ(error_with(3, 2, 1, 1), "");
  EXPECT_THAT(error_with(0, 1, 0, 1), HasSubstr("window_height must be 1"));
  EXPECT_THAT(error_with(5, 1, 0, 1), HasSubstr("window_height must be 4"));
  EXPECT_THAT(error_with(2, 0, 0, 1), HasSubstr("stride_height must be 1"));
  EXPECT_THAT(error_with(2, 1, 2, 1), HasSubstr("padding must be 0"));
  EXPECT_THAT(error_with(2, 1, 0, 4), HasSubstr("dilation must be 3"));
  // Large windows of which there are many would take too long.
  EXPECT_THAT(error_of(values_of(call_with(50, 1, 0, 1), "float32 (1, 100, 100)")),
              HasSubstr("window_height must be 1"));
}

TEST(MaxPool2dWithIndices, PlacesOfWindowsThatHaveOneMayBeFarApart) {
  EXPECT_EQ(oracle_of(values_of(call_with(1, 1, 0, INT32_MAX), "float32 (1, 2, 2)")),
            (List{1, 2, 3, 4}));
}

TEST(MaxPool2dWithIndices, RulesApplyWhereSomethingIsPooled) {
  RuleCases rules("max_pool2d_with_indices");
  const std::string call = ".values " + call_with(2, 1, 0, 1),
                    padded = ".values " + call_with(2, 1, 1, 1),
                    out_form = ".values out" + call_with(2, 1, 0, 1).substr(10);
  constexpr std::string_view kPlanes = "self float32 (2, 2, 3)\n",
                             kLarge = "self float32 (1, 4, 5)\n",
                             kBatch = "self float32 (2, 1, 2, 3)\n",
                             kNoPlanes = "self float32 (0, 1, 2, 3)\n";
  const std::string out = std::string(kPlanes) + "out float32 (2, 1, 2)\n";
  const std::string resized = std::string(kPlanes) + "out float32 (0)\n";
  const std::size_t width = 1, stride_width = 3, padding = 4, dilation = 5;

  const auto shape_after = [&](std::string_view rule, std::string_view operands) {
    return rules.applies(rule, call, operands).operands[0].shape;
  };
  EXPECT_EQ(shape_after("rank_above", kBatch), (Dims{2, 1, 2, 3, 1}));
  EXPECT_EQ(shape_after("rank_below", kPlanes), (Dims{2, 2}));
  EXPECT_EQ(shape_after("self_empty", kPlanes), (Dims{2, 2, 0}));
  const auto attributes_after = [&](std::string_view rule, std::string_view operands) {
    return rules.applies(rule, call, operands).attributes;
  };
  EXPECT_EQ(attributes_after("window_zero", kPlanes)[width], 0);
  EXPECT_EQ(attributes_after("window_above", kPlanes)[width], 6);
  EXPECT_EQ(attributes_after("stride_zero", kPlanes)[stride_width], 0);
  EXPECT_EQ(attributes_after("dilation_zero", kPlanes)[dilation], 0);
  EXPECT_EQ(attributes_after("span_wraps", kPlanes)[dilation], INT32_MAX);
  EXPECT_EQ(attributes_after("padding_above", kPlanes)[padding], 2);
  EXPECT_EQ(attributes_after("padding_below", kLarge)[padding], -1);
  for (const auto& [rule, misfit] : {std::pair("kernel_size_empty", MisfitList{0, true}),
                                     std::pair("kernel_size_longer", MisfitList{0, false}),
                                     std::pair("stride_longer", MisfitList{2, false}),
                                     std::pair("padding_empty", MisfitList{4, true}),
                                     std::pair("dilation_empty", MisfitList{5, true})})
    EXPECT_EQ(rules.applies(rule, call, kPlanes).misfit_list, misfit) << rule;
  EXPECT_EQ(rules.applies("out_dtype", out_form, out).operands[1].dtype, Dtype::kDouble);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", out_form, out).operands[1].layout));

  for (const IllegalRule& rule : find_operator("max_pool2d_with_indices")->rules) {
    const bool may_be_empty = rule.name.starts_with("rank_") || rule.name.starts_with("out_");
    if (!may_be_empty) rules.does_not_apply(rule.name, call, kNoPlanes);
  }
  rules.does_not_apply("rank_above", out_form, out);
  rules.does_not_apply("rank_below", call, kBatch);
  rules.does_not_apply("self_empty", out_form, out);
  rules.does_not_apply("window_zero", padded, kPlanes);
  rules.does_not_apply("padding_below", call, kPlanes);
  rules.does_not_apply("out_dtype", call, kPlanes);
  rules.does_not_apply("out_overlaps_itself", out_form, resized);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
