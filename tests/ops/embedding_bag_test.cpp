// embedding_bag's oracle and rules, by hand.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ops/fills/write_fill.h"
#include "ops/numbers/mean.h"
#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;

/// Of a weight of one column. Attributes with a padding_idx ask for the overload that takes one.
std::vector<float> bags_of(std::string_view attributes, std::vector<std::int64_t> indices,
                           std::vector<std::int64_t> offsets, const std::vector<float>& weight) {
  const bool to_end = attributes.find("include_last_offset") != std::string_view::npos;
  const auto size = [](const auto& list) { return " (" + std::to_string(list.size()) + ") "; };
  const std::string rows = std::to_string(weight.size());
  const bool is_padded = attributes.find("padding_idx") != std::string_view::npos;
  return bits_of<float>(oracle_of(
      "embedding_bag." + std::string(is_padded ? "padded" : "plain") + " functional " +
          std::string(attributes) + "\nindices int64" + size(indices) +
          "fill=first\noffsets int64" + size(offsets) +
          (to_end ? "fill=offsets2" : "fill=offsets1") + "\nweight float32 (" + rows +
          ", 1) fill=sums1\n",
      {bytes_of<std::int64_t>(indices), bytes_of<std::int64_t>(offsets), bytes_of<float>(weight)}));
}

TEST(EmbeddingBag, UnitesTheRowsOfEachBag) {
  EXPECT_THAT(bags_of("mode=sum", {0, 1, 1, 2}, {0, 1}, {10, 20, 30}), ElementsAre(10, 70));
  EXPECT_THAT(bags_of("mode=mean", {0, 1, 1, 2}, {0, 2}, {10, 20, 30}), ElementsAre(15, 25));
  EXPECT_THAT(bags_of("mode=max", {0, 1, 1, 2}, {0, 2}, {-10, -20, -30}), ElementsAre(-10, -20));
}

TEST(EmbeddingBag, AnEmptyBagIsZero) {
  for (const std::string_view mode : {"mode=sum", "mode=mean", "mode=max"})
    EXPECT_THAT(bags_of(mode, {1, 1}, {0, 0, 2}, {10, 20}),
                ElementsAre(0, mode == "mode=sum" ? 40 : 20, 0));
}

TEST(EmbeddingBag, TheRowOfPaddingCountsInNoBag) {
  for (const std::string_view row : {"padding_idx=1", "padding_idx=-2"}) {
    const auto bags = [&](const std::string& mode, const std::vector<float>& weight) {
      return bags_of(mode + " " + std::string(row), {0, 1, 2, 1, 1}, {0, 3}, weight);
    };
    EXPECT_THAT(bags("mode=sum", {10, 20, 30}), ElementsAre(40, 0));
    EXPECT_THAT(bags("mode=mean", {10, 20, 30}), ElementsAre(20, 0));
    EXPECT_THAT(bags("mode=max", {-10, -5, -30}), ElementsAre(-10, 0));
  }
  EXPECT_THAT(bags_of("mode=sum padding_idx=none", {0, 1}, {0}, {10, 20}), ElementsAre(30));
  EXPECT_THAT(error_of("embedding_bag.padded functional mode=sum padding_idx=3\nindices int64 (1) "
                       "fill=first\noffsets int64 (1) fill=offsets1\nweight float32 (2, 1) "
                       "fill=sums1\n"),
              ::testing::HasSubstr("padding_idx must be 1"));
}

TEST(EmbeddingBag, NeitherDoesItsWeight) {
  EXPECT_THAT(
      bits_of<float>(oracle_of(
          "embedding_bag.padded_weighted functional mode=sum padding_idx=0\nindices int64 (3) "
          "fill=first\noffsets int64 (1) fill=offsets1\nweight float32 (2, 1) fill=sums1\n"
          "per_sample_weights float32 (3) fill=factor1\n",
          {bytes_of<std::int64_t>({0, 1, 1}), bytes_of<std::int64_t>({0}),
           bytes_of<float>({10, 20}), bytes_of<float>({0.5f, 2, -1.5f})})),
      ElementsAre(10));
}

TEST(EmbeddingBag, TheRowOfPaddingIsNoTermOfAMean) {
  const auto tolerance = [](std::string_view padding) {
    return expectation(written("embedding_bag.padded functional mode=mean padding_idx=" +
                               std::string(padding) +
                               "\nindices int64 (2) fill=first\noffsets int64 (1) fill=offsets1\n"
                               "weight float32 (2, 1) fill=sums1\n"))
        .tolerance.at(0);
  };
  EXPECT_GT(tolerance("1"), 0);
  EXPECT_EQ(tolerance("0"), 0);
}

TEST(EmbeddingBag, AMeanMayBeOffByTheRoundingsOfItsBag) {
  const auto e = expectation(written(
      "embedding_bag.plain functional mode=mean\nindices int64 (3) fill=ascending\noffsets int64 "
      "(2) fill=offsets1 seed=1\nweight float32 (3, 1) fill=sums1\n"));
  const std::vector<std::int64_t> offsets = bits_of<std::int64_t>(e.operands[1]);
  ASSERT_EQ(e.tolerance.size(), 2u);
  std::size_t b = 0;
  for (const auto& [begin, end] : {std::pair(offsets[0], offsets[1]), {offsets[1], 3}}) {
    std::vector<Contribution> terms;
    for (auto i = begin; i < end; ++i)
      terms.push_back({0, &e.operands[2][static_cast<std::size_t>(i) * sizeof(float)]});
    EXPECT_EQ(e.tolerance[b++], mean_tolerance(Dtype::kFloat, terms));
  }
  EXPECT_TRUE(has_choices(e));
}

TEST(EmbeddingBag, TheLastOffsetMayBeTheEnd) {
  EXPECT_THAT(bags_of("mode=sum include_last_offset=true", {0, 1, 1}, {0, 1, 3}, {10, 20}),
              ElementsAre(10, 40));
  EXPECT_EQ(result_shape_of("embedding_bag.plain functional mode=sum include_last_offset=true\n"
                            "indices int64 (0) fill=first\noffsets int64 (1) fill=offsets2\nweight "
                            "float32 (2, 3) fill=sums1\n"),
            (Dims{0, 3}));
}

TEST(EmbeddingBag, EachRowMayHaveAWeight) {
  EXPECT_THAT(
      bits_of<float>(oracle_of(
          "embedding_bag.weighted functional mode=sum\nindices int64 (3) fill=first\noffsets int64 "
          "(2) fill=offsets1\nweight float32 (2, 1) fill=sums1\nper_sample_weights float32 (3) "
          "fill=factor1\n",
          {bytes_of<std::int64_t>({0, 1, 1}), bytes_of<std::int64_t>({0, 2}),
           bytes_of<float>({10, 20}), bytes_of<float>({0.5f, 2, -1.5f})})),
      ElementsAre(45, -30));
}

TEST(EmbeddingBag, OneProductHasAllTheBitsThatThereAre) {
  for (const std::string_view weight : {"float16", "bfloat16", "float32", "float64"}) {
    const bool is_half = weight == "float16";
    const Case c = written(
        "embedding_bag.weighted functional mode=sum\nindices int64 (1) fill=first\noffsets int64 "
        "(1) fill=offsets1\nweight " +
        std::string(weight) + " (1, 1) fill=" + (is_half ? "factor1" : "close1") +
        "\nper_sample_weights " + std::string(weight) + " (1) fill=close1\n");
    const Expectation e = expectation(c);
    const Dtype dtype = e.result.dtype;
    const double factor = to_double(dtype, e.operands[3].data());
    // Half of its bits would not hold it.
    EXPECT_NE(factor, static_cast<double>(std::llround(factor / 16)) * 16) << weight;
    EXPECT_GT(std::abs(to_double(dtype, e.values.data())), std::abs(factor) / 4) << weight;
    EXPECT_TRUE(std::isfinite(to_double(dtype, e.values.data()))) << weight;
  }
}

TEST(EmbeddingBag, AnInfinityTimesAWeightOfZeroIsNaN) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string text =
      "embedding_bag.weighted functional mode=sum\nindices int64 (2) fill=first\noffsets int64 (1) "
      "fill=offsets1\nweight float32 (2, 1) fill=sums3\nper_sample_weights float32 (2) "
      "fill=factor3\n";
  EXPECT_EQ(error_of(text), "");
  const auto result =
      bits_of<float>(oracle_of(text, {bytes_of<std::int64_t>({0, 1}), bytes_of<std::int64_t>({0}),
                                      bytes_of<float>({kInfinity, 2}), bytes_of<float>({0, 2})}));
  EXPECT_TRUE(std::isnan(result.at(0)));
}

TEST(EmbeddingBag, ANarrowRowMayHaveAWeightAndAMaximumMayBeInfinite) {
  EXPECT_EQ(error_of("embedding_bag.weighted functional mode=sum\nindices int64 (1) fill=first\n"
                     "offsets int64 (1) fill=offsets1\nweight float16 (1, 1) fill=sums1\n"
                     "per_sample_weights float16 (1) fill=factor1\n"),
            "");
  EXPECT_EQ(error_of("embedding_bag.plain functional mode=max\nindices int64 (1) fill=first\n"
                     "offsets int64 (1) fill=offsets1\nweight float32 (1, 1) fill=special2\n"),
            "");
}

/// The offsets of a case as they are filled.
std::vector<std::int64_t> filled_offsets(const Case& c) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(numel(c.operands[1].shape)) * 8);
  write_fill(c, 1, bytes.data());
  return bits_of<std::int64_t>(bytes);
}

TEST(EmbeddingBag, OffsetsNeverFall) {
  for (const int count : {1, 2, 3, 17, 64}) {
    for (int seed = 0; seed < 8; ++seed) {
      const std::string size = std::to_string(count);
      const Case c = written("embedding_bag.plain functional mode=sum include_last_offset=" +
                             std::string(count > 1 ? "true" : "false") + "\nindices int64 (" +
                             (count > 1 ? "33" : "0") + ") fill=first\noffsets int64 (" + size +
                             ") fill=" + (count > 1 ? "offsets2" : "offsets1") + " seed=" +
                             std::to_string(seed) + "\nweight float32 (2, 1) fill=sums1\n");
      const std::vector<std::int64_t> offsets = filled_offsets(c);
      EXPECT_EQ(offsets.front(), 0);
      EXPECT_EQ(offsets.back(), count > 1 ? 33 : 0);
      EXPECT_TRUE(std::ranges::is_sorted(offsets));
    }
  }
}

TEST(EmbeddingBag, IrregularBagsMayBeEmptyBehindOthers) {
  const auto offsets = [](bool to_end, int seed) {
    return filled_offsets(written(fmt::format(
        "embedding_bag.plain functional mode=sum{}\nindices int64 (3) fill=first\noffsets int64 "
        "(4) fill={} seed={}\nweight float32 (2, 1) fill=sums1\n",
        to_end ? " include_last_offset=true" : "", to_end ? "offsets4" : "offsets3", seed)));
  };
  std::set<std::vector<std::int64_t>> open, closed;
  for (int seed = 0; seed < 300; ++seed) {
    open.insert(offsets(false, seed));
    closed.insert(offsets(true, seed));
  }
  // Without an included last offset an empty last bag begins behind the last index.
  EXPECT_THAT(open, ::testing::IsSupersetOf<std::vector<std::int64_t>>(
                        {{0, 2, 2, 2}, {0, 1, 1, 3}, {0, 3, 3, 3}, {0, 0, 2, 2}, {0, 0, 0, 0}}));
  EXPECT_THAT(closed, ::testing::IsSupersetOf<std::vector<std::int64_t>>(
                          {{0, 2, 2, 3}, {0, 2, 3, 3}, {0, 3, 3, 3}, {0, 0, 2, 3}, {0, 0, 0, 3}}));
}

TEST(EmbeddingBag, HalfOfTheFillsThatAreDrawnMakeIrregularBags) {
  const auto repaired = [](FillKind drawn, bool to_end) {
    Case c = written(
        "embedding_bag.plain functional mode=sum\nindices int64 (3) fill=first\noffsets int64 (4) "
        "fill=offsets1\nweight float32 (2, 1) fill=sums1\n");
    c.attributes[1] = to_end;
    c.operands[1].fill.kind = drawn;
    repair(c, Limits{});
    return c.operands[1].fill.kind;
  };
  for (const FillKind kind :
       {FillKind::kRandom1, FillKind::kDistinct1, FillKind::kOffsets3, FillKind::kOffsets4}) {
    EXPECT_EQ(repaired(kind, false), FillKind::kOffsets3);
    EXPECT_EQ(repaired(kind, true), FillKind::kOffsets4);
  }
  for (const FillKind kind : {FillKind::kFirst, FillKind::kAscending, FillKind::kOffsets2}) {
    EXPECT_EQ(repaired(kind, false), FillKind::kOffsets1);
    EXPECT_EQ(repaired(kind, true), FillKind::kOffsets2);
  }
  EXPECT_EQ(repaired(FillKind::kFew1, true), FillKind::kOffsets1);
}

TEST(EmbeddingBag, FlagsOfTheGradientAreNotForMaxima) {
  const auto error = [](std::string_view attributes) {
    return error_of("embedding_bag.padded functional " + std::string(attributes) +
                    "\nindices int64 (3) fill=first\noffsets int64 (1) fill=offsets1\nweight "
                    "float32 (2, 1) fill=sums1\n");
  };
  EXPECT_EQ(error("mode=sum scale_grad_by_freq=true sparse=true"), "");
  EXPECT_EQ(error("mode=mean sparse=true"), "");
  EXPECT_THAT(error("mode=max scale_grad_by_freq=true"),
              ::testing::HasSubstr("scale_grad_by_freq must be false"));
  EXPECT_THAT(error("mode=max sparse=true"), ::testing::HasSubstr("sparse must be false"));
}

TEST(EmbeddingBag, RulesApplyWhereATenLooks) {
  RuleCases rules("embedding_bag");
  constexpr std::string_view kPlain = ".plain functional mode=sum";
  constexpr std::string_view kWeighted = ".weighted functional mode=sum";
  const std::string plain =
      "indices int64 (4) fill=first\noffsets int64 (2) fill=offsets1\nweight float64 (3, 2) "
      "fill=sums1\n";
  const std::string empty =
      "indices int64 (0) fill=first\noffsets int64 (1) fill=offsets1\nweight float64 (3, 2) "
      "fill=sums1\n";
  const std::string samples = "per_sample_weights float64 (4) fill=ones\n";
  EXPECT_EQ(rules.applies("index_below", kPlain, plain).operands[0].poke_value, -1);
  EXPECT_EQ(rules.applies("index_above", kPlain, plain).operands[0].poke_value, 3);
  EXPECT_EQ(rules.applies("offset_below", kPlain, plain).operands[1].poke_value, -1);
  EXPECT_EQ(rules.applies("offset_above", kPlain, plain).operands[1].poke_value, 5);
  const Case falls = rules.applies("offsets_fall", ".plain functional mode=sum",
                                   "indices int64 (17) fill=first\noffsets int64 (5) "
                                   "fill=offsets1\nweight float64 (3, 2) fill=sums1\n");
  EXPECT_GT(falls.operands[1].poke_position, 0);
  const std::string one_bag =
      "indices int64 (4) fill=first\noffsets int64 (1) fill=offsets1\nweight float64 (3, 2) "
      "fill=sums1\n";
  const Operand later = rules.applies("offsets_begin_later", kPlain, one_bag).operands[1];
  EXPECT_EQ(later.poke_position, 0);
  EXPECT_EQ(later.poke_value, 1);
  for (const std::string_view rule : {"index_below", "index_above", "offset_below", "offset_above",
                                      "offsets_fall", "offsets_begin_later"})
    rules.does_not_apply(rule, kPlain, empty);
  EXPECT_EQ(rules.applies("index_dtype", kPlain, plain).operands[0].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kPlain, plain).operands[0].dtype, Dtype::kInt16);
  EXPECT_EQ(rules.applies("weight_rank", kPlain, plain).operands[2].shape, (Dims{3, 2, 1}));
  EXPECT_EQ(rules.applies("sample_weights_count", kWeighted, plain + samples).operands[3].shape[0],
            5);
  EXPECT_NE(rules.applies("sample_weights_dtype", kWeighted, plain + samples).operands[3].dtype,
            Dtype::kDouble);
  rules.does_not_apply("sample_weights_count", kPlain, plain);
  rules.does_not_apply("sample_weights_dtype", kPlain, plain);
  EXPECT_EQ(rules.applies("no_offsets", kPlain, plain).operands[1].shape, (Dims{0}));
  rules.does_not_apply("no_offsets", kPlain, empty);
  rules.does_not_apply("no_offsets", ".plain functional mode=sum include_last_offset=true", plain);
  EXPECT_EQ(rules.applies("mode_unknown", kPlain, plain).attributes[0], 3);
  rules.does_not_apply("mode_unknown", kWeighted, plain + samples);
  constexpr std::string_view kPadded = ".padded functional mode=sum padding_idx=1";
  EXPECT_EQ(rules.applies("padding_above", kPadded, plain).attributes[2], 3);
  EXPECT_EQ(rules.applies("padding_below", kPadded, plain).attributes[2], -4);
  rules.does_not_apply("padding_above", kPlain, plain);
  rules.does_not_apply("padding_below", kPadded, empty);
  EXPECT_EQ(rules.applies("index_rank", kPlain, plain).operands[0].shape, (Dims{1, 4}));
  EXPECT_EQ(rules.applies("offsets_rank", kPlain, plain).operands[1].shape, (Dims{1, 2}));
  const Case repeated = rules.applies("index_rank", kPlain,
                                      "indices int64 (4) fill=first repeats=(0)\noffsets int64 (2) "
                                      "fill=offsets1\nweight float64 (3, 2) fill=sums1\n");
  EXPECT_EQ(repeated.operands[0].fill.repeats, 2);
  rules.does_not_apply("index_rank", kWeighted, plain + samples);
  rules.does_not_apply("index_rank", kPlain, empty);
  rules.does_not_apply("offsets_rank", kPlain, empty);
  rules.all_tried({"index_dtype", "index_dtype_narrow", "weight_rank"});
}

TEST(EmbeddingBag, TheLastBagMayEndEarlyAndATenAloneIsAsked) {
  EXPECT_THAT(
      bits_of<float>(oracle_of("embedding_bag.plain functional mode=sum include_last_offset=true\n"
                               "indices int64 (3) fill=first\noffsets int64 (2) fill=offsets1\n"
                               "weight float32 (3, 1) fill=sums1\n",
                               {bytes_of<std::int64_t>({0, 1, 2}), bytes_of<std::int64_t>({0, 2}),
                                bytes_of<float>({1, 5, 9})})),
      ElementsAre(6));
  const auto asks_aten_only = [](std::string_view fill) {
    const Case c = written(
        "embedding_bag.plain functional include_last_offset=true\nindices int64 "
        "(3) fill=first\noffsets int64 (2) fill=" +
        std::string(fill) + "\nweight float32 (3, 1) fill=sums1\n");
    return operator_of(c).aten_only(c);
  };
  EXPECT_TRUE(asks_aten_only("offsets1"));
  EXPECT_FALSE(asks_aten_only("offsets2"));
  // Without a bag there may be indices.
  EXPECT_EQ(error_of("embedding_bag.plain functional include_last_offset=true\nindices int64 (3) "
                     "fill=first\noffsets int64 (1) fill=offsets1\nweight float32 (3, 1) "
                     "fill=sums1\n"),
            "");
}

TEST(EmbeddingBag, TheSumOfTwoIsRoundedOnce) {
  const auto error = [](std::string_view mode, int indices) {
    return error_of("embedding_bag.plain functional mode=" + std::string(mode) +
                    "\nindices int64 (" + std::to_string(indices) +
                    ") fill=first\noffsets int64 (1) fill=offsets1\nweight bfloat16 (3, 1) "
                    "fill=hash1\n");
  };
  EXPECT_EQ(error("sum", 2), "");
  EXPECT_THAT(error("sum", 3), ::testing::HasSubstr("fill=sums1"));
  EXPECT_THAT(error("mean", 2), ::testing::HasSubstr("fill=sums1"));
  // 256 + 1 lies in the middle between 256 and 258, whose last bit is odd.
  EXPECT_EQ(bits_of<std::uint16_t>(
                oracle_of("embedding_bag.plain functional mode=sum\nindices int64 (2) "
                          "fill=first\noffsets int64 (1) fill=offsets1\nweight bfloat16 (2, 1) "
                          "fill=hash1\n",
                          {bytes_of<std::int64_t>({0, 1}), bytes_of<std::int64_t>({0}),
                           bytes_of<std::uint16_t>({0x4380, 0x3F80})}))[0],
            0x4380);
}

/// The largest sum of magnitudes over a bag of one column, however its terms are ordered, and how
/// many elements of weight are not 0.
struct Sums {
  double largest = 0;
  std::ptrdiff_t nonzero = 0;
};
Sums sums_of(std::string_view dtype, int rows, int indices, int bags) {
  const std::string n = std::to_string(indices);
  const auto e =
      expectation(written("embedding_bag.plain functional mode=sum\nindices int64 (" + n +
                          ") fill=random1\noffsets "
                          "int64 (" +
                          std::to_string(bags) + ") fill=offsets1 seed=1\nweight " +
                          std::string(dtype) + " (" + std::to_string(rows) + ", 1) fill=sums1\n"));
  const auto index = bits_of<std::int64_t>(e.operands[0]);
  const auto offsets = bits_of<std::int64_t>(e.operands[1]);
  const Dtype weight = *dtype_from_name(dtype);
  const auto number = [&](std::int64_t row) {
    return std::abs(
        to_double(weight, &e.operands[2][static_cast<std::size_t>(row) * item_size(weight)]));
  };
  Sums sums;
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    const std::int64_t end = b + 1 < offsets.size() ? offsets[b + 1] : indices;
    double sum = 0;
    for (std::int64_t i = offsets[b]; i < end; ++i)
      sum += number(index[static_cast<std::size_t>(i)]);
    sums.largest = std::max(sums.largest, sum);
  }
  for (int row = 0; row < rows; ++row) sums.nonzero += number(row) != 0;
  return sums;
}

TEST(EmbeddingBag, SumsOfNarrowNumbersStayExactAndTell) {
  for (const std::string_view dtype : {"bfloat16", "float16", "float32"}) {
    const double bound = std::ldexp(1.0, info(*dtype_from_name(dtype)).exact_bits);
    for (const int indices : {1, 17, 100, 128, 300, 1000}) {
      for (const int bags : {1, 3, 40}) {
        const Sums sums = sums_of(dtype, 1000, indices, bags);
        EXPECT_LE(sums.largest, bound) << dtype << " " << indices << " in " << bags;
        EXPECT_GT(sums.nonzero, 0) << dtype << " " << indices << " in " << bags;
      }
    }
  }
  // However many indices there are, only those of one bag meet.
  EXPECT_EQ(sums_of("bfloat16", 50, 128, 1).nonzero, 50);
  EXPECT_EQ(sums_of("bfloat16", 50, 300, 40).nonzero, 50);
  // A row that is named too often is 0.
  EXPECT_EQ(sums_of("bfloat16", 1, 300, 1).nonzero, 0);
}

TEST(EmbeddingBag, BagsAreCountedWhereverABrokenRulePutsTheirOffsets) {
  for (const std::string_view rule : {"offset_below", "offset_above", "offsets_fall"}) {
    const auto e = expectation(written(
        "embedding_bag.plain functional mode=sum breaks=" + std::string(rule) +
        "\nindices int64 (300) fill=random1\noffsets int64 (9) fill=offsets1 seed=1\nweight "
        "bfloat16 (50, 1) fill=sums1\n"));
    EXPECT_TRUE(e.must_refuse) << rule;
    EXPECT_EQ(e.operands[2].size(), 100u);
  }
}

}  // namespace
}  // namespace indexfuzz
