// searchsorted's oracle and rules, by hand.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ops/families/boundaries.h"
#include "ops/fills/write_fill.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(Searchsorted, FindsTheFirstPlaceOrWithRightTheLast) {
  const std::vector<std::vector<std::byte>> values{bytes_of<std::int32_t>({1, 3, 3, 5}),
                                                   bytes_of<std::int32_t>({0, 1, 2, 3, 4, 5, 6})};
  EXPECT_EQ(bits_of<std::int64_t>(
                oracle_of("searchsorted.Tensor functional out_int32=false right=false\n"
                          "sorted_sequence int32 (4) fill=sorted1\nself int32 (7) fill=searched1\n",
                          values)),
            (std::vector<std::int64_t>{0, 0, 1, 1, 3, 3, 4}));
  EXPECT_EQ(bits_of<std::int32_t>(
                oracle_of("searchsorted.Tensor functional out_int32=true right=true\n"
                          "sorted_sequence int32 (4) fill=sorted1\nself int32 (7) fill=searched1\n",
                          values)),
            (std::vector<std::int32_t>{0, 1, 1, 3, 3, 4, 4}));
}

TEST(Searchsorted, EachRowIsSearchedForItsOwnValues) {
  constexpr std::string_view kCase =
      "searchsorted.Tensor functional out_int32=false right=false\n"
      "sorted_sequence float32 (2, 3) fill=sorted1\nself float32 (2, 2) fill=searched1\n";
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(kCase, {bytes_of<float>({1, 2, 3, 10, 20, 30}),
                                                      bytes_of<float>({2.5f, 15, 2.5f, 15})})),
              ElementsAre(2, 3, 0, 1));
  EXPECT_EQ(result_shape_of(kCase), (Dims{2, 2}));
}

TEST(Searchsorted, OneRowIsSearchedForAnyShapeAndForNumbers) {
  EXPECT_EQ(result_shape_of("searchsorted.Tensor functional out_int32=false right=false\n"
                            "sorted_sequence float32 (4) fill=sorted1\n"
                            "self float32 (2, 3, 2) fill=searched1\n"),
            (Dims{2, 3, 2}));
  EXPECT_EQ(oracle_of("searchsorted.Scalar functional out_int32=false right=true\n"
                      "sorted_sequence float16 (2) fill=ones\nself int64 () fill=ones\n"),
            List{2});
}

TEST(Searchsorted, IntegersAreSearchedForIntegers) {
  EXPECT_THAT(error_of("searchsorted.Scalar functional out_int32=false right=true\n"
                       "sorted_sequence int32 (2) fill=ones\nself float64 () fill=ones\n"),
              ::testing::HasSubstr("self: its dtype must be int64"));
}

TEST(Searchsorted, DtypesThatDifferMeetInTheOneTheyPromoteTo) {
  constexpr std::string_view kCall = "searchsorted.Tensor functional out_int32=false right=false\n";
  const auto places = [&](std::string_view operands, std::vector<std::vector<std::byte>> values) {
    return bits_of<std::int64_t>(oracle_of(std::string(kCall).append(operands), std::move(values)));
  };
  EXPECT_THAT(places("sorted_sequence int8 (3) fill=sorted1\nself float32 (3) fill=hash1\n",
                     {bytes_of<std::int8_t>({1, 2, 3}), bytes_of<float>({2.5f, 300, 2})}),
              ElementsAre(2, 3, 1));
  EXPECT_THAT(places("sorted_sequence float16 (3) fill=sorted1\nself int64 (2) fill=searched1\n",
                     {bytes_of<std::uint16_t>({0x3C00, 0x3E00, 0x4000}),  // 1, 1.5, 2
                      bytes_of<std::int64_t>({2, 3})}),
              ElementsAre(2, 3));
}

TEST(Searchsorted, NumbersOfBothDtypesAreExactWhereTheyMeet) {
  // A seed of 12 makes sorted numbers large; float32, to which int64 promotes here, would round
  // them.
  const std::string error = error_of(
      "searchsorted.Tensor functional out_int32=false right=false\n"
      "sorted_sequence int64 (2) fill=sorted1 seed=12\nself float32 (1) fill=ones\n");
  EXPECT_THAT(error, ::testing::HasSubstr("sorted_sequence")) << error;
  EXPECT_EQ(
      error_of("searchsorted.Tensor functional out_int32=false right=false\n"
               "sorted_sequence int32 (2) fill=sorted1 seed=12\nself float64 (1) fill=hash1\n"),
      "");
}

TEST(Searchsorted, AmongNoBoundariesEveryPlaceIs0) {
  EXPECT_EQ(oracle_of("searchsorted.Tensor functional out_int32=false right=true\n"
                      "sorted_sequence int8 (2, 0) fill=sorted1\n"
                      "self int8 (2, 1) fill=searched1\n"),
            (List{0, 0}));
}

TEST(Searchsorted, InfinitiesAndBothZerosHaveTheirOrder) {
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "searchsorted.Tensor functional out_int32=false right=false\n"
                  "sorted_sequence float64 (2) fill=sorted1\nself float64 (4) fill=searched1\n",
                  {bytes_of<double>({0.0, 1.0}),
                   bytes_of<double>({-0.0, -HUGE_VAL, HUGE_VAL, 0x1p-1074})})),
              ElementsAre(0, 0, 2, 1));
}

TEST(Searchsorted, ExtremesHaveTheirOrderToo) {
  constexpr double kInfinity = HUGE_VAL, kLargest = 0x1.fffffffffffffp1023, kLeast = 0x1p-1074;
  const auto floats = [&](std::string_view right) {
    return bits_of<std::int64_t>(oracle_of(
        fmt::format("searchsorted.Tensor functional out_int32=false right={}\n"
                    "sorted_sequence float64 (7) fill=sorted3\n"
                    "self float64 (7) fill=searched2\n",
                    right),
        {bytes_of<double>({-kInfinity, -kInfinity, -kLargest, -0.0, kLeast, kLargest, kInfinity}),
         bytes_of<double>({-kInfinity, -kLargest, 0.0, kLeast, 0.5, kInfinity, 1})}));
  };
  EXPECT_THAT(floats("false"), ElementsAre(0, 2, 3, 4, 5, 6, 5));
  EXPECT_THAT(floats("true"), ElementsAre(2, 3, 4, 5, 5, 7, 5));
  constexpr auto kLow = std::numeric_limits<std::int32_t>::min(),
                 kHigh = std::numeric_limits<std::int32_t>::max();
  const auto integers = [&](std::string_view right) {
    return bits_of<std::int64_t>(
        oracle_of(fmt::format("searchsorted.Tensor functional out_int32=false right={}\n"
                              "sorted_sequence int32 (5) fill=sorted3\n"
                              "self int32 (4) fill=searched2\n",
                              right),
                  {bytes_of<std::int32_t>({kLow, kLow + 1, 0, kHigh, kHigh}),
                   bytes_of<std::int32_t>({kLow, -1, kHigh - 1, kHigh})}));
  };
  EXPECT_THAT(integers("false"), ElementsAre(0, 2, 3, 3));
  EXPECT_THAT(integers("true"), ElementsAre(1, 2, 3, 5));
  // uint8 meets int8 in int16.
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "searchsorted.Tensor functional out_int32=false right=true\n"
                  "sorted_sequence uint8 (3) fill=sorted3\nself int8 (3) fill=searched2\n",
                  {bytes_of<std::uint8_t>({0, 127, 255}), bytes_of<std::int8_t>({-128, 0, 127})})),
              ElementsAre(0, 1, 2));
}

TEST(Searchsorted, SpecialBoundariesAreSearchedForNumbersNextToThem) {
  constexpr std::string_view kCall = "searchsorted.Tensor functional out_int32=false right=false\n";
  const auto error = [&](std::string_view operands) {
    return error_of(std::string(kCall).append(operands));
  };
  EXPECT_EQ(error("sorted_sequence int8 (2) fill=sorted3\nself int8 (2) fill=searched2\n"), "");
  EXPECT_EQ(error("sorted_sequence int8 (2) fill=sorted1\nself int8 (2) fill=searched2\n"), "");
  EXPECT_THAT(error("sorted_sequence int8 (2) fill=sorted3\nself int8 (2) fill=searched1\n"),
              ::testing::HasSubstr("self: it needs fill=searched2"));
  // Where int64 promotes to float32, which would round.
  EXPECT_THAT(error("sorted_sequence int64 (2) fill=sorted3\nself float32 (2) fill=searched2\n"),
              ::testing::HasSubstr("sorted_sequence: it needs fill=sorted1"));
}

/// The numbers of operand `k`, in order.
std::vector<double> numbers_of(const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  std::vector<std::byte> bytes(static_cast<std::size_t>(numel(operand.shape)) *
                               item_size(operand.dtype));
  write_fill(c, k, bytes.data());
  return numbers(operand.dtype, bytes);
}

TEST(Searchsorted, SpecialBoundariesAreSortedWhateverTheirLayoutAndDtype) {
  for (const std::string_view layout : {"", "order=(1, 0)", "step=(1, 2)",
                                        "expanded=(1) repeats=(1)", "expanded=(0) repeats=(0)"}) {
    for (const std::string_view dtype : {"uint8", "int8", "int16", "int32", "int64", "float16",
                                         "bfloat16", "float32", "float64"}) {
      std::set<double> seen, searched;
      for (int seed = 0; seed < 32; ++seed) {
        const std::string text = fmt::format(
            "searchsorted.Tensor functional out_int32=false right=false\n"
            "sorted_sequence {} (3, 20) {} fill=sorted3{}\nself {} (3, 9) fill=searched2{}\n",
            dtype, layout, seed == 0 ? "" : fmt::format(" seed={}", seed), dtype,
            seed == 0 ? "" : fmt::format(" seed={}", seed));
        const Case c = written(text);
        const std::vector<double> all = numbers_of(c, 0);
        for (int row = 0; row < 3; ++row)
          EXPECT_TRUE(std::is_sorted(all.begin() + row * 20, all.begin() + row * 20 + 20)) << text;
        seen.insert(all.begin(), all.end());
        for (const double value : numbers_of(c, 1)) {
          EXPECT_FALSE(std::isnan(value)) << text;
          searched.insert(value);
        }
      }
      const bool is_integer = dtype.find("int") != std::string_view::npos;
      // As doubles some of int64's are one.
      EXPECT_EQ(seen.size(), dtype == "int64" ? 11u
                             : is_integer     ? 14u
                                              : 17u)
          << dtype << " " << layout;
      EXPECT_GT(searched.size(), seen.size()) << dtype;
      if (!is_integer) {
        EXPECT_EQ(*seen.begin(), -HUGE_VAL);
        EXPECT_EQ(*seen.rbegin(), HUGE_VAL);
        EXPECT_TRUE(seen.contains(0.5) && seen.contains(-1.5));
      }
    }
  }
}

TEST(Searchsorted, SpecialBoundariesAreSortedByTheSorter) {
  for (int seed = 1; seed < 32; ++seed) {
    const std::string text = fmt::format(
        "searchsorted.Tensor_sorter functional out_int32=false right=false\n"
        "sorted_sequence float32 (2, 5) fill=sorted4 seed={}\nself float32 (2, 2) fill=searched2\n"
        "sorter int64 (2, 5) fill=distinct2 seed={}\n",
        seed, seed);
    const Case c = written(text);
    const std::vector<double> all = numbers_of(c, 0), order = numbers_of(c, 2);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % 5 == 0) continue;
      const std::size_t row = i / 5 * 5;
      EXPECT_LE(all[row + static_cast<std::size_t>(order[i - 1])],
                all[row + static_cast<std::size_t>(order[i])])
          << text;
    }
  }
}

TEST(Searchsorted, SpecialFillsAreFrozen) {
  const auto fills = [](std::string_view dtype, int width, int seed) {
    const Case c = written(fmt::format(
        "searchsorted.Tensor functional out_int32=false right=false\nsorted_sequence {} ({}) "
        "fill=sorted3 seed={}\nself {} (6) fill=searched2 seed={}\n",
        dtype, width, seed, dtype, seed));
    return std::pair(numbers_of(c, 0), numbers_of(c, 1));
  };
  // With this seed a row takes all of them.
  constexpr int kAll = 1;
  EXPECT_EQ(fills("int8", 14, kAll).first,
            (List{-128, -127, -64, -9, -8, -1, 0, 1, 7, 8, 63, 64, 126, 127}));
  EXPECT_EQ(fills("uint8", 14, kAll).first,
            (List{0, 1, 2, 6, 7, 8, 9, 15, 16, 127, 128, 129, 254, 255}));
  EXPECT_EQ(fills("float16", 17, kAll).first,
            (List{-HUGE_VAL, -65504, -2048, -1.5, -1, -0.5, -0x1p-14, -0x1p-24, 0, 0x1p-24, 0x1p-14,
                  0.5, 1, 1.5, 2048, 65504, HUGE_VAL}));
  EXPECT_EQ(fills("int8", 4, 3).first, (List{-127, -127, -64, -64}));
  EXPECT_EQ(fills("int8", 4, 3).second, (List{127, -128, -9, 127, 7, 1}));
  EXPECT_EQ(fills("float16", 4, 3).second,
            (List{2050, -HUGE_VAL, -0.5 - 0x1p-11, HUGE_VAL, 0x1p-14, 0x1p-24}));
}

TEST(Searchsorted, LargeIntegersAreNotRounded) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 60) + 1;
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "searchsorted.Tensor functional out_int32=false right=false\n"
                  "sorted_sequence int64 (3) fill=sorted1\nself int64 (2) fill=searched1\n",
                  {bytes_of<std::int64_t>({kBig - 1, kBig, kBig + 1}),
                   bytes_of<std::int64_t>({kBig, kBig + 2})})),
              ElementsAre(1, 3));
}

TEST(Searchsorted, BoundariesAreSortedWhateverTheirLayout) {
  for (const std::string_view layout : {"", "order=(1, 0)", "step=(1, 2)",
                                        "expanded=(1) repeats=(1)", "expanded=(0) repeats=(0)"}) {
    for (const std::string_view dtype : {"uint8", "int8", "bfloat16", "int64", "float64"}) {
      for (int seed = 0; seed < 16; ++seed) {
        const std::string fields = fmt::format("{} (3, 17) {} fill=sorted1{}", dtype, layout,
                                               seed == 0 ? "" : fmt::format(" seed={}", seed));
        const std::string text =
            "searchsorted.Tensor functional out_int32=false right=false\nsorted_sequence " +
            fields + "\nself " + std::string(dtype) + " (3, 1) fill=zeros\n";
        const Case c = written(text);
        std::vector<std::byte> bytes(3 * 17 * item_size(c.operands[0].dtype));
        write_fill(c, 0, bytes.data());
        const std::vector<double> all = numbers(c.operands[0].dtype, bytes);
        for (int row = 0; row < 3; ++row)
          EXPECT_TRUE(std::is_sorted(all.begin() + row * 17, all.begin() + row * 17 + 17)) << text;
      }
    }
  }
}

TEST(Searchsorted, ASideSaysTheSameAsRight) {
  const auto places = [](std::string_view attributes) {
    return bits_of<std::int64_t>(
        oracle_of("searchsorted.Tensor_side functional out_int32=false " + std::string(attributes) +
                      "\nsorted_sequence int32 (4) fill=sorted1\nself int32 (1) fill=searched1\n",
                  {bytes_of<std::int32_t>({1, 3, 3, 5}), bytes_of<std::int32_t>({3})}));
  };
  EXPECT_THAT(places("right=false side=left"), ElementsAre(1));
  EXPECT_THAT(places("right=false side=right"), ElementsAre(3));
  EXPECT_THAT(places("right=true side=right"), ElementsAre(3));
}

TEST(Searchsorted, ASorterNamesTheBoundariesOfEachRowInTheirOrder) {
  EXPECT_THAT(
      bits_of<std::int64_t>(oracle_of(
          "searchsorted.Tensor_sorter functional out_int32=false right=false\n"
          "sorted_sequence float32 (2, 3) fill=sorted2\nself float32 (2, 2) fill=searched1\n"
          "sorter int64 (2, 3) fill=distinct2\n",
          {bytes_of<float>({30, 10, 20, 2, 3, 1}), bytes_of<float>({15, 30, 1, 2.5f}),
           bytes_of<std::int64_t>({1, 2, 0, 2, 0, 1})})),
      ElementsAre(1, 2, 0, 2));
  EXPECT_EQ(oracle_of("searchsorted.Scalar_sorter functional out_int32=false right=true\n"
                      "sorted_sequence int8 (3) fill=ones\nself int64 () fill=searched1\n"
                      "sorter int64 (3) fill=descending\n"),
            List{3});
}

TEST(Searchsorted, ASorterSortsItsBoundariesWhateverTheLayouts) {
  std::set<std::vector<double>> drawn;
  for (const std::string_view boundaries :
       {"", "order=(1, 0)", "expanded=(1) repeats=(1)", "expanded=(0) repeats=(0)"}) {
    for (const std::string_view kind : {"ascending", "descending", "distinct1", "distinct2"}) {
      for (int seed = 1; seed < 16; ++seed) {
        const bool rows_repeat = boundaries.ends_with("repeats=(0)");
        const Case c = written(fmt::format(
            "searchsorted.Tensor_sorter functional out_int32=false right=false\n"
            "sorted_sequence int16 (3, 17) {} fill=sorted2 seed={}\nself int16 (3, 1) fill=ones\n"
            "sorter int64 (3, 17) fill={}{}{}\n",
            boundaries, seed, kind,
            kind.starts_with("distinct") ? fmt::format(" seed={}", seed) : "",
            rows_repeat ? " repeats=(0)" : ""));
        std::vector<std::byte> bytes(3 * 17 * sizeof(std::int16_t));
        write_fill(c, 0, bytes.data());
        const std::vector<double> all = numbers(Dtype::kInt16, bytes);
        std::vector<std::int64_t> order(3 * 17);
        write_fill(c, 2, reinterpret_cast<std::byte*>(order.data()));
        for (std::size_t row = 0; row < 3; ++row) {
          std::vector<double> sorted;
          for (std::size_t i = 0; i < 17; ++i)
            sorted.push_back(all[row * 17 + static_cast<std::size_t>(order[row * 17 + i])]);
          EXPECT_TRUE(std::ranges::is_sorted(sorted)) << boundaries << ' ' << kind << ' ' << seed;
        }
        drawn.insert(all);
      }
    }
  }
  EXPECT_GT(drawn.size(), 100u);
}

TEST(Searchsorted, RowsOfASorterMayDifferIfThoseOfTheBoundariesDo) {
  constexpr std::string_view kCall =
      "searchsorted.Tensor_sorter functional out_int32=false right=false\n";
  EXPECT_EQ(error_of(std::string(kCall) +
                     "sorted_sequence int8 (2, 3) fill=sorted2\nself int8 (2, 1) fill=ones\n"
                     "sorter int64 (2, 3) fill=distinct2 seed=1\n"),
            "");
  EXPECT_THAT(error_of(std::string(kCall) +
                       "sorted_sequence int8 (2, 3) expanded=(0) repeats=(0) fill=sorted2\n"
                       "self int8 (2, 1) fill=ones\n"
                       "sorter int64 (2, 3) fill=distinct2 seed=1\n"),
              ::testing::HasSubstr("sorter: "));
  EXPECT_THAT(error_of(std::string(kCall) +
                       "sorted_sequence int8 (3) fill=sorted2\nself int8 (1) fill=ones\n"
                       "sorter int64 (3) fill=random1 seed=1\n"),
              ::testing::HasSubstr("sorter: "));
}

TEST(Searchsorted, RulesApplyWhereATenLooks) {
  RuleCases rules("searchsorted");
  constexpr std::string_view kTensor = ".Tensor functional out_int32=false right=false",
                             kOutForm = ".Tensor out out_int32=false right=false";
  constexpr std::string_view kRow =
      "sorted_sequence int64 (4) fill=sorted1\nself int64 (3) fill=searched1\n";
  constexpr std::string_view kRows =
      "sorted_sequence int64 (2, 4) fill=sorted1\nself int64 (2, 3) fill=searched1\n";
  constexpr std::string_view kOut =
      "sorted_sequence int64 (4) fill=sorted1\nself int64 (3) fill=searched1\nout int64 (3)\n";
  constexpr std::string_view kNarrow =
      "sorted_sequence int8 (4) fill=sorted1\nself int8 (3) fill=searched1\nout int64 (3)\n";
  EXPECT_EQ(rules.applies("sequence_rank", kTensor, kRow).operands[0].shape, Dims{});
  rules.does_not_apply("sequence_rank", kTensor, kRows);
  EXPECT_EQ(rules.applies("rows_differ", kTensor, kRows).operands[1].shape, (Dims{3, 3}));
  rules.does_not_apply("rows_differ", kTensor, kRow);
  EXPECT_EQ(rules.applies("self_rank", kTensor, kRows).operands[1].shape, (Dims{2, 3, 1}));
  rules.does_not_apply("self_rank", kTensor, kRow);
  EXPECT_EQ(rules.applies("self_rank_lower", kTensor, kRows).operands[1].shape, (Dims{2}));
  rules.does_not_apply("self_rank_lower", kTensor, kRow);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kTensor, kRow);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kTensor, kRow);
  EXPECT_EQ(rules.applies("out_is_sequence", kOutForm, kOut).operands[2].shares_memory_with, 0);
  rules.does_not_apply("out_is_sequence", kOutForm, kNarrow);
  EXPECT_EQ(rules.applies("out_is_self", kOutForm, kOut).operands[2].shares_memory_with, 1);
  rules.does_not_apply("out_is_self", kOutForm, kNarrow);
  constexpr std::string_view kSorter = ".Tensor_sorter functional out_int32=false right=false",
                             kSide =
                                 ".Tensor_side functional out_int32=false right=false side=left";
  constexpr std::string_view kSorted =
      "sorted_sequence int64 (4) fill=sorted2\nself int64 (3) fill=searched1\n"
      "sorter int64 (4) fill=descending\n";
  EXPECT_EQ(rules.applies("sorter_above", kSorter, kSorted).operands[2].poke_value, 4);
  EXPECT_EQ(rules.applies("sorter_below", kSorter, kSorted).operands[2].poke_value, -1);
  EXPECT_EQ(rules.applies("sorter_dtype", kSorter, kSorted).operands[2].dtype, Dtype::kInt32);
  EXPECT_EQ(rules.applies("sorter_shape", kSorter, kSorted).operands[2].shape, Dims{5});
  for (const std::string_view rule : {"sorter_above", "sorter_below", "sorter_dtype",
                                      "sorter_shape", "side_opposes_right", "side_unknown"})
    rules.does_not_apply(rule, kTensor, kRow);
  EXPECT_EQ(rules.applies("side_opposes_right", kSide, kRow).attributes[boundary::kRight], 1);
  const Case unknown = rules.applies("side_unknown", kSide, kRow);
  EXPECT_EQ(choice_of(overload_of(unknown).attributes[2], unknown.attributes[2]), "unknown");
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
