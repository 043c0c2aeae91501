// Fills of indices and masks are frozen, too.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "../written_case.h"
#include "ops/fills/write_positions.h"

namespace indexfuzz {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// The index of an index_select, into a dimension of `bound` elements.
std::vector<std::int64_t> index_of(std::string_view operand, int bound) {
  return bits_of<std::int64_t>(
      expectation(written("index_select functional\nself float32 (" + std::to_string(bound) +
                          ")\nindex int64 " + std::string(operand) + "\n"))
          .operands[1]);
}
std::vector<std::uint8_t> mask_of(std::string_view operand) {
  const std::string text(operand);
  const std::string shape = text.substr(text.find('('), text.find(')') - text.find('(') + 1);
  return bits_of<std::uint8_t>(expectation(written("index_put functional\nself float32 " + shape +
                                                   "\nvalues float32 ()\nindices " + text + "\n"))
                                   .operands[2]);
}

TEST(IndexFills, AreFrozen) {
  EXPECT_THAT(index_of("(4) fill=first", 3), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(index_of("(4) fill=last", 3), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(index_of("(4) fill=ascending", 3), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(index_of("(4) fill=descending", 3), ElementsAre(2, 1, 0, 2));
  EXPECT_THAT(index_of("(6) fill=random1 seed=3", 10), ElementsAre(3, 9, 5, 4, 1, 7));
  EXPECT_THAT(index_of("(6) fill=few1 seed=3", 10), ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_THAT(index_of("(12) fill=distinct1 seed=3", 10),
              ElementsAre(3, 6, 9, 2, 5, 8, 1, 4, 7, 0, 3, 6));
  EXPECT_THAT(index_of("(12) fill=distinct2 seed=3", 4),
              ElementsAre(3, 2, 1, 0, 2, 1, 0, 3, 1, 0, 3, 2));
  EXPECT_THAT(index_of("(8) fill=runs1 seed=2", 10), ElementsAre(3, 3, 3, 3, 4, 4, 5, 6));
  EXPECT_THAT(index_of("(8) fill=runs1 seed=5", 10), ElementsAre(0, 0, 0, 1, 2, 3, 5, 7));
  EXPECT_THAT(index_of("(8) fill=runs1 seed=7", 10), ElementsAre(2, 2, 2, 3, 3, 3, 4, 4));
  EXPECT_THAT(index_of("(8) fill=offsets3 seed=1", 9), ElementsAre(0, 2, 2, 2, 2, 3, 3, 3));
  EXPECT_THAT(index_of("(8) fill=offsets4 seed=1", 9), ElementsAre(0, 5, 5, 5, 5, 8, 8, 8));
  EXPECT_THAT(index_of("(8) fill=counts1 seed=9", 400), ElementsAre(3, 3, 137, 1, 2, 2, 3, 10));
  EXPECT_THAT(index_of("(8) fill=counts1 seed=9", 3), ElementsAre(2, 2, 2, 1, 2, 2, 2, 2));
  EXPECT_THAT(index_of("(4) fill=offsets5", 9), ElementsAre(0, 2, 5, 8));
  EXPECT_THAT(index_of("(4) fill=lengths1", 9), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(index_of("(8) fill=offsets5 seed=1", 9), ElementsAre(0, 1, 5, 5, 6, 8, 8, 8));
  EXPECT_THAT(index_of("(8) fill=lengths1 seed=1", 9), ElementsAre(1, 3, 0, 1, 1, 0, 0, 2));
}

TEST(IndexFills, IrregularOffsetsAreLegal) {
  int ending_with_none = 0, with_none_between = 0, below_the_end = 0;
  for (const int bound : {1, 2, 3, 7, 64, 1000}) {
    for (const int count : {0, 1, 2, 3, 5, 17, 300}) {
      for (int seed = 0; seed < 20; ++seed) {
        for (const bool to_end : {false, true}) {
          const auto offsets = index_of(
              fmt::format("({}) fill=offsets{} seed={}", count, to_end ? 4 : 3, seed), bound);
          ASSERT_TRUE(std::ranges::is_sorted(offsets));
          if (count == 0) continue;
          EXPECT_EQ(offsets.front(), 0);
          EXPECT_LT(offsets.back(), bound);
          if (!to_end) below_the_end += offsets.back() + 1 < bound;
          if (!to_end || count < 3 || bound < 3) continue;
          EXPECT_EQ(offsets.back(), bound - 1);
          const auto last_step = std::ranges::find(offsets, bound - 1);
          ending_with_none += last_step + 1 != offsets.end();
          with_none_between += std::adjacent_find(offsets.begin() + 1, last_step) != last_step;
        }
      }
    }
  }
  EXPECT_GT(ending_with_none, 50);
  EXPECT_GT(with_none_between, 50);
  EXPECT_GT(below_the_end, 50);
}

TEST(IndexFills, LengthsOfEachRowAddUpToTheEndOfItsOffsets) {
  int empty_first = 0, empty_last = 0, differing_rows = 0;
  for (const int size : {0, 1, 2, 7, 300}) {
    for (const int width : {1, 2, 3, 8, 40}) {
      for (int seed = 0; seed < 20; ++seed) {
        const auto numbers = [&](std::string_view form, int of_a_row, std::string_view fill) {
          return bits_of<std::int64_t>(
              expectation(written(fmt::format("segment_reduce.{0} functional axis=1\n{0} int64 "
                                              "(3, {1}) fill={2} seed={3}\ndata float32 (3, {4}) "
                                              "fill=sums1\n",
                                              form, of_a_row, fill, seed, size)))
                  .operands[0]);
        };
        const std::vector<std::int64_t> lengths = numbers("lengths", width, "lengths1"),
                                        offsets = numbers("offsets", width + 1, "offsets5");
        auto end = offsets.begin();
        for (auto row = lengths.begin(); row != lengths.end(); row += width) {
          EXPECT_EQ(*end++, 0);
          for (int i = 0; i < width; ++i, ++end) EXPECT_EQ(*end, end[-1] + row[i]);
          EXPECT_EQ(end[-1], size);
          if (size == 0 || width == 1) continue;
          empty_first += *row == 0;
          empty_last += row[width - 1] == 0;
          differing_rows += !std::equal(row, row + width, lengths.begin());
        }
      }
    }
  }
  EXPECT_GT(empty_first, 50);
  EXPECT_GT(empty_last, 50);
  EXPECT_GT(differing_rows, 50);
}

TEST(IndexFills, Distinct2NamesEachPositionOnceInEveryRun) {
  for (int bound = 1; bound <= 9; ++bound) {
    for (int seed = 1; seed < 20; ++seed) {
      const std::vector<std::int64_t> at = index_of(
          "(" + std::to_string(2 * bound) + ") fill=distinct2 seed=" + std::to_string(seed), bound);
      const auto next = at.begin() + bound;
      EXPECT_EQ(std::set(at.begin(), next).size(), static_cast<std::size_t>(bound)) << seed;
      EXPECT_EQ(std::set(next, at.end()).size(), static_cast<std::size_t>(bound)) << seed;
      EXPECT_EQ(std::equal(at.begin(), next, next), bound == 1) << seed;
    }
  }
}

TEST(Distinct, IsTrueOfWhatNamesNoPositionTwice) {
  int distinct = 0, along = 0;
  for (const std::string_view kind :
       {"ascending", "descending", "distinct1", "distinct2", "random1", "few1", "runs1"}) {
    for (const std::string_view shape : {"()", "(1)", "(3)", "(2, 3)", "(3, 2)", "(4, 3)", "(3, 1)",
                                         "(2, 2, 2)", "(3, 5) repeats=(0)"}) {
      for (int bound = 1; bound <= 8; ++bound) {
        const Case c = written(
            "take functional\nself float32 (" + std::to_string(bound) + ")\nindex int64 " +
            std::string(shape.substr(0, shape.find(')') + 1)) + " fill=" + std::string(kind) +
            " seed=5 negatives=some" + std::string(shape.substr(shape.find(')') + 1)) + "\n");
        const Operand& index = c.operands[1];
        std::vector<std::int64_t> at = bits_of<std::int64_t>(expectation(c).operands[1]);
        for (std::int64_t& position : at) position += position < 0 ? bound : 0;
        if (is_distinct(index, bound)) {
          ++distinct;
          ASSERT_EQ(std::set(at.begin(), at.end()).size(), at.size()) << kind << shape << bound;
        }
        const Dims strides = row_major_strides(index.shape);
        for (std::size_t d = 0; d < index.shape.size(); ++d) {
          if (!is_distinct_along(index, static_cast<int>(d), bound)) continue;
          ++along;
          // (element with coordinate d taken away, position)
          std::set<std::pair<std::int64_t, std::int64_t>> named;
          for (std::size_t i = 0; i < at.size(); ++i) {
            const auto n = static_cast<std::int64_t>(i);
            const std::int64_t line = n - n / strides[d] % index.shape[d] * strides[d];
            ASSERT_TRUE(named.insert({line, at[i]}).second)
                << kind << shape << bound << " along " << d;
          }
        }
      }
    }
  }
  EXPECT_GT(distinct, 80);
  EXPECT_GT(along, 150);
}

TEST(IndexFills, KeepTheirPromises) {
  for (const int bound : {1, 2, 3, 7, 64, 100}) {
    for (int seed = 0; seed < 20; ++seed) {
      const std::string with_seed = " seed=" + std::to_string(seed);
      std::vector<std::int64_t> distinct =
          index_of("(" + std::to_string(bound) + ") fill=distinct1" + with_seed, bound);
      std::ranges::sort(distinct);
      for (int i = 0; i < bound; ++i) EXPECT_EQ(distinct[static_cast<std::size_t>(i)], i);
      for (const std::int64_t few : index_of("(50) fill=few1" + with_seed, bound))
        EXPECT_TRUE(few == 0 || (few == 1 && bound > 1));
      const std::vector<std::int64_t> runs = index_of("(50) fill=runs1" + with_seed, bound);
      EXPECT_TRUE(std::ranges::is_sorted(runs));
      EXPECT_GE(runs.front(), 0);
      EXPECT_LT(runs.back(), bound);
      for (const std::int64_t any : index_of("(50) fill=random1" + with_seed, bound))
        EXPECT_TRUE(any >= 0 && any < bound);
    }
  }
}

TEST(IndexFills, NegativesNameTheSamePositions) {
  const auto indices = [](std::string_view negatives) {
    return bits_of<std::int64_t>(
        expectation(written("index_put functional\nself float32 (7)\nvalues float32 ()\nindices "
                            "int64 (50) fill=random1 seed=9" +
                            std::string(negatives) + "\n"))
            .operands[2]);
  };
  const auto none = indices(""), all = indices(" negatives=all"), some = indices(" negatives=some");
  int negative = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(all[i], none[i] - 7);
    EXPECT_EQ((some[i] + 7) % 7, none[i]);
    negative += some[i] < 0;
  }
  EXPECT_GT(negative, 5);
  EXPECT_LT(negative, 45);
}

TEST(MaskFills, AreFrozen) {
  EXPECT_THAT(mask_of("bool (5) fill=mask_front popcount=2"), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(mask_of("bool (5) fill=mask_back popcount=2"), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(mask_of("bool (6) fill=mask_spread1 popcount=2"), ElementsAre(0, 0, 1, 0, 0, 1));
  EXPECT_THAT(mask_of("bool (7) fill=mask_mixed1 popcount=3 seed=3"),
              ElementsAre(0, 1, 1, 1, 0, 0, 0));
  EXPECT_THAT(mask_of("bool (9) fill=mask_random1 popcount=4 seed=3"),
              ElementsAre(1, 0, 0, 1, 1, 0, 0, 1, 0));
  EXPECT_THAT(mask_of("uint8 (4) fill=mask_front popcount=3 seed=3"), ElementsAre(223, 122, 38, 0));
  EXPECT_THAT(mask_of("uint8 (4) fill=mask_front popcount=3 seed=2"), ElementsAre(1, 1, 1, 0));
}

TEST(MaskFills, SetExactlyAsManyAsTheySay) {
  for (const std::string_view fill :
       {"mask_front", "mask_back", "mask_spread1", "mask_mixed1", "mask_random1"}) {
    for (const std::string_view dtype : {"bool", "uint8"}) {
      for (const int size : {1, 2, 7, 64, 129}) {
        for (int popcount = 0; popcount <= size; ++popcount) {
          const auto mask = mask_of(
              std::string(dtype) + " (" + std::to_string(size) + ") fill=" + std::string(fill) +
              " popcount=" + std::to_string(popcount) + " seed=" + std::to_string(popcount * 7));
          ASSERT_EQ(std::ranges::count_if(mask, [](std::uint8_t m) { return m != 0; }), popcount)
              << fill << " of " << size;
        }
      }
    }
  }
}

TEST(MaskFills, RandomOnesAreAllThereAre) {
  std::map<std::vector<std::uint8_t>, int> seen;
  constexpr int kSeeds = 7000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    ++seen[mask_of("bool (8) fill=mask_random1 popcount=4 seed=" + std::to_string(seed))];
  }
  EXPECT_EQ(seen.size(), 70u);
  for (const auto& [mask, count] : seen) {
    EXPECT_GT(count, kSeeds / 70 / 2);
    EXPECT_LT(count, kSeeds / 70 * 2);
  }
}

TEST(MaskFills, DoNotDependOnARepeatedCoordinate) {
  EXPECT_THAT(mask_of("bool (2, 3) fill=mask_front repeats=(0) popcount=1"),
              ElementsAre(1, 0, 0, 1, 0, 0));
}

TEST(Poke, ReachesEveryPositionThatSharesTheValue) {
  const auto index_of_gather = [](std::string_view index) {
    const Case c =
        written("gather functional breaks=index_above\nself float32 (2, 3)\nindex int64 " +
                std::string(index) + "\n");
    return bits_of<std::int64_t>(expectation(c).operands[1]);
  };
  EXPECT_THAT(index_of_gather("(2, 3) fill=first"), ElementsAre(0, 0, 0, 0, 0, 2));
  EXPECT_THAT(index_of_gather("(2, 3) expanded=(0) fill=first repeats=(0)"),
              ElementsAre(0, 0, 2, 0, 0, 2));
  EXPECT_THAT(index_of_gather("(2, 3) expanded=(0, 1) fill=first repeats=(0, 1)"), Each(2));
}

}  // namespace
}  // namespace indexfuzz
