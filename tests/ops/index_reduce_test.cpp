// index_reduce's oracle and rules, by hand. self holds 1, 2, 3, …, source -1, -2, -3, … in
// row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<double>;

/// self (3) and a source of four slices that go to slices 0, 1, 2, 0.
List reduced(std::string_view attributes) {
  return oracle_of("index_reduce functional " + std::string(attributes) +
                   "\nself int32 (3)\nindex int64 (4) fill=ascending\nsource int32 (4)\n");
}

/// The same of explicit values, which a mean needs.
std::vector<std::int32_t> mean(std::string_view attributes) {
  return bits_of<std::int32_t>(
      oracle_of("index_reduce functional reduce=mean" + std::string(attributes) +
                    "\nself int32 (3) fill=sums1\nindex int64 (4) fill=ascending\nsource int32 (4) "
                    "fill=sums1\n",
                {bytes_of<std::int32_t>({1, 2, 3}), bytes_of<std::int64_t>({0, 1, 2, 0}),
                 bytes_of<std::int32_t>({-1, -2, -3, -4})}));
}

TEST(IndexReduce, UnitesSlicesWithSelf) {
  EXPECT_EQ(mean(" include_self=true"), (std::vector<std::int32_t>{-2, 0, 0}));
  EXPECT_EQ(reduced("reduce=prod include_self=true"), (List{4, -4, -9}));
  EXPECT_EQ(reduced("reduce=amax include_self=true"), (List{1, 2, 3}));
  EXPECT_EQ(reduced("reduce=amin include_self=true"), (List{-4, -2, -3}));
}

TEST(IndexReduce, WithoutSelfOnlySlicesThatAreNotNamedStay) {
  EXPECT_EQ(reduced("reduce=prod"), (List{4, -2, -3}));
  EXPECT_EQ(mean(""), (std::vector<std::int32_t>{-3, -2, -3}));
  EXPECT_EQ(reduced("reduce=amax"), (List{-1, -2, -3}));
  EXPECT_EQ(oracle_of("index_reduce in-place dim=-1 reduce=amin\nself int64 (2, 2)\nindex int32 "
                      "(2) fill=last\nsource int64 (2, 2)\n"),
            (List{1, -2, 3, -4}));
}

TEST(IndexReduce, AScalarSelfTakesOneIndex) {
  EXPECT_EQ(oracle_of("index_reduce functional reduce=prod include_self=true\nself int64 ()\nindex "
                      "int64 () fill=first\nsource int64 ()\n"),
            (List{-1}));
  EXPECT_THAT(error_of("index_reduce functional reduce=prod\nself int64 ()\nindex int64 (2) "
                       "fill=first\nsource int64 ()\n"),
              ::testing::HasSubstr("index: its shape must be (1)"));
}

TEST(IndexReduce, HasNoSum) {
  EXPECT_THAT(error_of("index_reduce functional reduce=sum\nself int64 (1)\nindex int64 (1) "
                       "fill=first\nsource int64 (1)\n"),
              ::testing::HasSubstr("prod, mean, amax"));
}

TEST(IndexReduce, HasTheRulesOfIndexAddButOne) {
  RuleCases rules("index_reduce");
  constexpr std::string_view kPlain =
      "self int64 (2, 3)\nindex int64 (2) fill=first\nsource int64 (2, 3)\n";
  EXPECT_EQ(rules.applies("index_above", "functional reduce=prod", kPlain).operands[1].poke_value,
            2);
  EXPECT_EQ(rules.applies("source_dtype", "functional reduce=prod", kPlain).operands[2].dtype,
            Dtype::kInt32);
  const Case unknown = rules.applies("reduce_unknown", "functional reduce=prod", kPlain);
  EXPECT_EQ(choice_of(overload_of(unknown).attributes[1], unknown.attributes[1]), "unknown");
  // The others are those of index_add, whose test tries them; it has one of its own, too.
  const auto shared = [](std::string_view name) {
    const auto rules = find_operator(name)->rules;
    return rules.first(rules.size() - 1);
  };
  EXPECT_TRUE(std::ranges::equal(shared("index_reduce"), shared("index_add"), {},
                                 &IllegalRule::name, &IllegalRule::name));
}

}  // namespace
}  // namespace indexfuzz
