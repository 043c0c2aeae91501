// scatter's oracle and rules, by hand. self holds 1, 2, 3, …, src -1, -2, -3, … in row-major order,
// and a value filled by index is -1.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(Scatter, ReplacesTheCoordinateOfDim) {
  // index = [[0, 1]]
  EXPECT_EQ(oracle_of("scatter.src functional\nself float32 (3, 2)\nindex int64 (1, 2) "
                      "fill=ascending\nsrc float32 (1, 2)\n"),
            (List{-1, 2, 3, -2, 5, 6}));
  // src is larger than index and is read at index's coordinates.
  EXPECT_EQ(oracle_of("scatter.src in-place dim=-1\nself int64 (2, 2)\nindex int32 (2, 1) "
                      "fill=last\nsrc int64 (2, 3)\n"),
            (List{1, -1, 3, -4}));
  EXPECT_EQ(oracle_of("scatter.src functional dim=1\nself int64 (3, 2)\nindex int64 (1, 1) "
                      "fill=last\nsrc int64 (2, 2)\n"),
            (List{1, -1, 3, 4, 5, 6}));
}

TEST(Scatter, AValueGoesToEveryNamedElement) {
  EXPECT_EQ(oracle_of("scatter.value functional\nself float32 (3, 2)\nindex int64 (2, 2) "
                      "fill=last\nvalue float64 ()\n"),
            (List{1, 2, 3, 4, -1, -1}));
  EXPECT_EQ(oracle_of("scatter.value in-place dim=1\nself bool (2, 2) fill=zeros\nindex int32 "
                      "(1, 2) fill=last\nvalue int64 () fill=ones\n"),
            (List{0, 1, 0, 0}));
  EXPECT_THAT(
      bits_of<std::uint16_t>(oracle_of(
          "scatter.value functional\nself float16 (2)\nindex int64 (1) fill=first\nvalue float64 "
          "()\n",
          {bytes_of<std::uint16_t>({0x3C00, 0x3C00}), bytes_of<std::int64_t>({1}),
           bytes_of<double>({-2.5})})),
      ElementsAre(0x3C00, 0xC100));
}

TEST(Scatter, ScalarsCountAsOneElement) {
  EXPECT_EQ(
      oracle_of("scatter.src functional\nself int64 ()\nindex int64 () fill=first\nsrc int64 ()\n"),
      (List{-1}));
  EXPECT_EQ(oracle_of("scatter.src functional\nself int64 (2)\nindex int64 () fill=last\nsrc int64 "
                      "(3)\n"),
            (List{1, -1}));
  EXPECT_EQ(oracle_of("scatter.value functional\nself int64 ()\nindex int64 (2) fill=first\nvalue "
                      "int64 ()\n"),
            (List{-1}));
}

TEST(Scatter, AnEmptyIndexLeavesSelf) {
  EXPECT_EQ(oracle_of("scatter.src functional\nself int16 (2)\nindex int64 (0) fill=first\nsrc "
                      "int16 (1)\n"),
            (List{1, 2}));
  EXPECT_EQ(oracle_of("scatter.value functional\nself int16 (2)\nindex int64 (0) fill=first\nvalue "
                      "int64 ()\n"),
            (List{1, 2}));
}

TEST(Scatter, EveryElementThatIsWrittenContributes) {
  const Case c = written(
      "scatter.src functional\nself int32 (2, 2)\nindex int64 (2, 1) fill=last\nsrc int32 (2, "
      "2)\n");
  EXPECT_EQ(operator_of(c).agreement(c), Agreement::kAnyContributor);
  const auto self = bytes_of<std::int32_t>({1, 2, 3, 4}),
             src = bytes_of<std::int32_t>({-1, -2, -3, -4});
  const auto index = bytes_of<std::int64_t>({1, 1});
  const LogicalOperand operands[] = {{self.data(), 4}, {index.data(), 2}, {src.data(), 4}};
  std::vector<std::pair<std::int64_t, std::int32_t>> seen;
  operator_of(c).contributions(
      {c, operands},
      [](void* context, Contribution one) {
        std::int32_t value;
        std::memcpy(&value, one.value, sizeof value);
        static_cast<decltype(seen)*>(context)->emplace_back(one.element, value);
      },
      &seen);
  EXPECT_THAT(seen, ElementsAre(std::pair(2, -1), std::pair(2, -3)));
}

TEST(Scatter, OneValueIsExact) {
  const Case c = written(
      "scatter.value functional\nself int32 (2)\nindex int64 (2) fill=last\nvalue int64 ()\n");
  EXPECT_EQ(operator_of(c).agreement(c), Agreement::kExact);
}

TEST(Scatter, ReducesWithWhatIsThere) {
  const auto reduced = [](std::string_view reduce) {
    return oracle_of("scatter.reduce functional" + std::string(reduce) +
                     "\nself int32 (3)\nindex int64 (4) fill=ascending\nsrc int32 (4)\n");
  };
  // self 1, 2, 3; element 0 meets -1 and -4, element 1 -2, element 2 -3.
  EXPECT_EQ(reduced(""), (List{-4, 0, 0}));
  EXPECT_EQ(reduced(" reduce=multiply"), (List{4, -4, -9}));
}

TEST(Scatter, AValueIsReducedOnceForEachIndex) {
  const auto reduced = [](std::string_view reduce) {
    return oracle_of("scatter.value_reduce in-place" + std::string(reduce) +
                     "\nself int64 (2)\nindex int32 (3) fill=first\nvalue int64 ()\n");
  };
  EXPECT_EQ(reduced(""), (List{-2, 2}));
  EXPECT_EQ(reduced(" reduce=multiply"), (List{-1, 2}));
  const auto with_a_half = [](const std::string& reduce, const std::string& fill) {
    return bits_of<std::uint16_t>(oracle_of(
        "scatter.value_reduce functional reduce=" + reduce + "\nself float16 (2) fill=" + fill +
            "\nindex int64 (2) fill=last\nvalue float64 () fill=" + fill + "\n",
        {bytes_of<std::uint16_t>({0x3C00, 0x3C00}), bytes_of<std::int64_t>({1, 1}),
         bytes_of<double>({0.5})}));
  };
  EXPECT_THAT(with_a_half("add", "sums1"), ElementsAre(0x3C00, 0x4000));
  EXPECT_THAT(with_a_half("multiply", "products1"), ElementsAre(0x3C00, 0x3400));
  EXPECT_EQ(oracle_of("scatter.value_reduce functional\nself bool (2) fill=zeros\nindex int64 (2) "
                      "fill=first\nvalue bool () fill=ones\n"),
            (List{1, 0}));
}

TEST(Scatter, SumsAndProductsAreExact) {
  const auto agreement = [](const std::string& text) {
    const Case c = written(text);
    return operator_of(c).agreement(c);
  };
  constexpr auto kOfSrc = "\nself int32 (2)\nindex int64 (2) fill=last\nsrc int32 (2)\n";
  constexpr auto kOfValue = "\nself int32 (2)\nindex int64 (2) fill=last\nvalue int64 ()\n";
  EXPECT_EQ(agreement(std::string("scatter.reduce functional") + kOfSrc), Agreement::kSum);
  EXPECT_EQ(agreement(std::string("scatter.reduce functional reduce=multiply") + kOfSrc),
            Agreement::kExact);
  EXPECT_EQ(agreement(std::string("scatter.value_reduce functional") + kOfValue), Agreement::kSum);
}

TEST(Scatter, RulesApplyWhereATenLooks) {
  RuleCases rules("scatter");
  constexpr std::string_view kFromSrc = ".src functional", kFromValue = ".value functional";
  constexpr std::string_view kPlain =
      "self int64 (2, 3)\nindex int64 (2, 2) fill=first\nsrc int64 (2, 2)\n";
  constexpr std::string_view kEmpty =
      "self int64 (2, 3)\nindex int64 (0, 2) fill=first\nsrc int64 (2, 2)\n";
  constexpr std::string_view kOut =
      "self int64 (2, 2)\nindex int64 (2, 2) fill=first\nsrc int64 (2, 2)\nout int64 (2, 2)\n";
  constexpr std::string_view kValue =
      "self int64 (2, 3)\nindex int64 (2, 2) fill=first\nvalue int64 ()\n";
  constexpr std::string_view kEmptyValue =
      "self int64 (2, 3)\nindex int64 (0, 2) fill=first\nvalue int64 ()\n";
  EXPECT_EQ(rules.applies("index_below", kFromSrc, kPlain).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", kFromSrc, kEmpty);
  EXPECT_EQ(rules.applies("index_above", ".value functional dim=1", kValue).operands[1].poke_value,
            3);
  rules.does_not_apply("index_above", kFromValue, kEmptyValue);
  EXPECT_EQ(rules.applies("index_rank", kFromValue, kValue).operands[1].shape, (Dims{2, 2, 1}));
  rules.does_not_apply("index_rank", kFromSrc, kEmpty);
  EXPECT_EQ(rules.applies("index_dtype", kFromSrc, kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kFromSrc, kPlain).operands[1].dtype, Dtype::kInt16);
  rules.does_not_apply("index_dtype", kFromValue, kEmptyValue);
  rules.does_not_apply("index_dtype_narrow", kFromValue, kEmptyValue);
  EXPECT_EQ(rules.applies("dim_above", kFromValue, kEmptyValue).attributes[0], 2);
  EXPECT_EQ(rules.applies("index_beyond_self", kFromValue, kValue).operands[1].shape, (Dims{2, 4}));
  rules.does_not_apply("index_beyond_self", kFromSrc, kEmpty);
  EXPECT_EQ(rules.applies("index_beyond_src", kFromSrc, kPlain).operands[1].shape, (Dims{3, 2}));
  rules.does_not_apply("index_beyond_src", kFromValue, kValue);
  EXPECT_EQ(rules.applies("src_dtype", kFromSrc, kEmpty).operands[2].dtype, Dtype::kInt32);
  rules.does_not_apply("src_dtype", kFromValue, kValue);
  EXPECT_EQ(rules.applies("src_dtype", ".reduce functional", kPlain).operands[2].dtype,
            Dtype::kInt32);
  rules.does_not_apply("src_dtype", ".value_reduce functional", kValue);
  EXPECT_EQ(rules.applies("src_rank", kFromSrc, kPlain).operands[2].shape, (Dims{2, 2, 1}));
  rules.does_not_apply("src_rank", kFromSrc, kEmpty);
  rules.does_not_apply("src_rank", kFromValue, kValue);
  EXPECT_EQ(rules.applies("value_complex", kFromValue, kValue).operands[2].dtype,
            Dtype::kComplexDouble);
  rules.does_not_apply("value_complex", kFromValue, kEmptyValue);
  rules.does_not_apply("value_complex", kFromSrc, kPlain);
  EXPECT_EQ(rules.applies("src_is_written", ".src in-place", kEmpty).operands[2].shares_memory_with,
            0);
  EXPECT_EQ(rules.applies("src_is_written", ".src out", kOut).operands[3].shares_memory_with, 2);
  rules.does_not_apply("src_is_written", kFromSrc, kPlain);
  rules.does_not_apply("src_is_written", ".value in-place", kValue);
  EXPECT_TRUE(has_expanded(
      rules.applies("written_overlaps_itself", ".value in-place", kEmptyValue).operands[0].layout));
  EXPECT_TRUE(
      has_expanded(rules.applies("written_overlaps_itself", ".src out", kOut).operands[3].layout));
  rules.does_not_apply("written_overlaps_itself", kFromSrc, kPlain);
  EXPECT_EQ(rules.applies("out_dtype", ".src out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", ".src in-place", kPlain);
  EXPECT_EQ(rules.applies("self_empty", ".src in-place", kPlain).operands[0].shape[0], 0);
  rules.does_not_apply("self_empty", kFromSrc, kEmpty);
  rules.does_not_apply("self_empty", ".src out", kOut);
  EXPECT_EQ(rules
                .applies("value_overflows", kFromValue,
                         "self uint8 (2)\nindex int64 (1) fill=first\nvalue int64 ()\n")
                .operands[2]
                .poke_value,
            256);
  rules.does_not_apply("value_overflows", kFromValue, kEmptyValue);
  rules.does_not_apply("value_overflows", kFromValue,
                       "self float32 (2)\nindex int64 (1) fill=first\nvalue int64 ()\n");
  rules.does_not_apply("value_overflows", kFromSrc, kPlain);
  EXPECT_EQ(
      rules.applies("index_is_written", ".value in-place", kValue).operands[1].shares_memory_with,
      0);
  EXPECT_EQ(rules.applies("index_is_written", ".src out", kOut).operands[3].shares_memory_with, 1);
  rules.does_not_apply("index_is_written", ".src in-place", kEmpty);
  rules.does_not_apply("index_is_written", kFromSrc, kPlain);
  EXPECT_EQ(rules.applies("dim_below", kFromSrc, kPlain).attributes[0], -3);
  EXPECT_EQ(rules.applies("index_rank_lower", kFromValue, kValue).operands[1].shape, Dims{2});
  rules.does_not_apply("index_rank_lower", kFromValue, kEmptyValue);
  EXPECT_EQ(rules.applies("src_rank_lower", kFromSrc, kPlain).operands[2].shape, Dims{2});
  rules.does_not_apply("src_rank_lower", kFromSrc, kEmpty);
  rules.does_not_apply("src_rank_lower", kFromValue, kValue);
  const Case unknown =
      rules.applies("reduce_unknown", ".reduce functional dim=1 reduce=multiply", kPlain);
  EXPECT_EQ(choice_of(overload_of(unknown).attributes[1], unknown.attributes[1]), "unknown");
  rules.does_not_apply("reduce_unknown", kFromSrc, kPlain);
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
