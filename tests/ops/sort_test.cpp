// sort's oracle, its equals and rules, by hand.

#include "ordered_cases.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<std::int64_t>;

std::string sorted(std::string_view result, std::string_view attributes, std::string_view self) {
  return call_on("sort", result, attributes, self);
}

TEST(Sort, OrdersEachSlice) {
  const Positions self{3, 1, 2, 4, 6, 5};
  constexpr std::string_view kRising = "dim=1 descending=false",
                             kFalling = "dim=-2 descending=true";
  const auto result = [&](std::string_view which, std::string_view attributes) {
    return result_of<std::int64_t>(sorted(which, attributes, "int64 (2, 3)"), self);
  };
  EXPECT_EQ(result("values", kRising), (Positions{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(result("indices", kRising), (Positions{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(result("values", kFalling), (Positions{4, 6, 5, 3, 1, 2}));
  EXPECT_EQ(result("indices", kFalling), (Positions{1, 1, 1, 0, 0, 0}));
}

TEST(Sort, NanIsGreatest) {
  const std::vector<float> self{kNan, 1, kInfinity, -kInfinity};
  const auto positions = [&](std::string_view attributes) {
    return result_of<std::int64_t>(sorted("indices", attributes, "float32 (4)"), self);
  };
  EXPECT_EQ(positions("dim=0 descending=false"), (Positions{3, 1, 2, 0}));
  EXPECT_EQ(positions("dim=0 descending=true"), (Positions{0, 2, 1, 3}));
}

TEST(Sort, ComparesIntegersExactly) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 63;
  EXPECT_EQ(result_of<std::int64_t>(sorted("indices", "dim=0 descending=false", "uint64 (3)"),
                                    std::vector<std::uint64_t>{kLarge + 1, 1, kLarge}),
            (Positions{1, 2, 0}));
  constexpr std::int64_t kSmall = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(result_of<std::int64_t>(sorted("indices", "dim=0 descending=false", "int64 (3)"),
                                    Positions{kSmall + 1, 0, kSmall}),
            (Positions{2, 0, 1}));
}

TEST(Sort, AStableOneKeepsTheOrderOfEquals) {
  const Positions self{2, 1, 2, 1};
  const auto positions = [&](std::string_view attributes) {
    return result_of<std::int64_t>(sorted("stable_indices", attributes, "int64 (4)"), self);
  };
  EXPECT_EQ(positions("dim=0 descending=false stable=true"), (Positions{1, 3, 0, 2}));
  EXPECT_EQ(positions("dim=0 descending=true stable=true"), (Positions{0, 2, 1, 3}));
  for (const char* result : {"stable_values", "stable_indices"})
    EXPECT_EQ(agreement_of(sorted(result, "dim=0 descending=true stable=true", "float32 (4)")),
              Agreement::kExact);
  EXPECT_THAT(result_of<std::uint32_t>(
                  sorted("stable_values", "dim=0 descending=true stable=true", "float32 (4)"),
                  std::vector<float>{0, -0.0f, 1, 0}),
              ElementsAre(0x3F800000u, kPlus, kMinus, kPlus));
}

TEST(Sort, OthersMayNameAnyOfEquals) {
  for (const auto& [result, attributes] :
       {std::pair("indices", "dim=0 descending=false"),
        std::pair("stable_indices", "dim=0 descending=false stable=false")}) {
    const std::string call = sorted(result, attributes, "float32 (5)");
    EXPECT_EQ(agreement_of(call), Agreement::kAnyContributor);
    EXPECT_THAT(choices_of<std::int64_t>(call, std::vector<float>{kNan, 0, 1, -0.0f, kNan}),
                ElementsAre(ElementsAre(1, 3), ElementsAre(1, 3), ElementsAre(2), ElementsAre(0, 4),
                            ElementsAre(0, 4)));
  }
}

TEST(Sort, OfEqualValuesOnlyZerosDiffer) {
  const std::string call = sorted("values", "dim=1 descending=false", "float32 (2, 3)");
  EXPECT_EQ(agreement_of(call), Agreement::kAnyContributor);
  EXPECT_THAT(choices_of<std::uint32_t>(call, std::vector<float>{0, -0.0f, -1, 0, 1, 0}),
              ElementsAre(IsEmpty(), ElementsAre(kPlus, kMinus), ElementsAre(kPlus, kMinus),
                          ElementsAre(kPlus), ElementsAre(kPlus), IsEmpty()));
  EXPECT_EQ(agreement_of(sorted("values", "dim=0 descending=false", "int32 (4)")),
            Agreement::kExact);
  EXPECT_EQ(agreement_of(sorted("values", "dim=0 descending=false", "bool (4)")),
            Agreement::kExact);
}

TEST(Sort, OneElementAndNone) {
  const std::string one = sorted("indices", "dim=-1 descending=true", "float32 ()"),
                    none = sorted("indices", "dim=0 descending=true", "float32 (0, 3)"),
                    empty_rows = sorted("values", "dim=0 descending=true", "float32 (2, 0)");
  EXPECT_THAT(oracle_of(one), ElementsAre(0));
  EXPECT_EQ(result_shape_of(one), Dims{});
  EXPECT_THAT(oracle_of(none), IsEmpty());
  EXPECT_THAT(oracle_of(empty_rows), IsEmpty());
  EXPECT_EQ(result_shape_of(empty_rows), (Dims{2, 0}));
}

TEST(Sort, OfManyElementsFewAreEqualWhereAnyMayBeNamed) {
  constexpr std::string_view kAttributes = "dim=0 descending=false";
  EXPECT_EQ(error_of(sorted("indices", kAttributes, "float32 (128) fill=special1")), "");
  EXPECT_THAT(error_of(sorted("indices", kAttributes, "float32 (129) fill=special1")),
              HasSubstr("needs fill=hash1"));
  EXPECT_EQ(error_of(sorted("indices", kAttributes, "float32 (40000)")), "");
  EXPECT_EQ(error_of(sorted("indices", kAttributes, "bfloat16 (40000) fill=hash1")), "");
  EXPECT_EQ(error_of(sorted("indices", kAttributes, "float32 (4000, 8) expanded=(1) repeats=(1)")),
            "");
  EXPECT_THAT(error_of(sorted("indices", kAttributes, "int8 (1000) fill=hash1")),
              HasSubstr("its shape must be (125)"));
  EXPECT_EQ(error_of(sorted("values", kAttributes, "float32 (40000) fill=special1")), "");
  EXPECT_EQ(error_of(sorted("stable_indices", std::string(kAttributes) + " stable=true",
                            "int8 (40000) fill=hash1")),
            "");
}

TEST(Sort, TakesWhatHasAnOrder) {
  constexpr std::string_view kAttributes = "dim=0 descending=false";
  for (const char* self : {"bool (3)", "uint16 (3)", "uint64 (3)", "float16 (3)"})
    EXPECT_EQ(error_of(sorted("values", kAttributes, self)), "") << self;
  for (const char* self : {"complex64 (3)", "float8_e5m2 (3)"})
    EXPECT_THAT(error_of(sorted("values", kAttributes, self)), HasSubstr("dtype")) << self;
}

TEST(Sort, RulesApplyToEveryShape) {
  RuleCases rules("sort");
  constexpr std::string_view kCall = ".indices functional dim=0 descending=false",
                             kOutCall = ".indices out dim=0 descending=false";
  constexpr std::string_view kSelf = "self float32 (2, 3)\n", kNothing = "self float32 (0)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nout int64 (2, 3)\n",
                             kResized = "self float32 (2, 3)\nout int64 (0)\n";
  EXPECT_GE(rules.applies("dim_above", kCall, kSelf).attributes[0], 2);
  EXPECT_GE(rules.applies("dim_above", kCall, kNothing).attributes[0], 1);
  EXPECT_LE(rules.applies("dim_below", kCall, kSelf).attributes[0], -3);
  EXPECT_NE(rules.applies("out_dtype", kOutCall, kOut).operands[1].dtype, Dtype::kInt64);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutCall, kOut).operands[1].layout));
  EXPECT_EQ(rules.applies("self_complex", kCall, kSelf).operands[0].dtype, Dtype::kComplexFloat);
  rules.does_not_apply("out_dtype", kCall, kSelf);
  rules.does_not_apply("out_overlaps_itself", kOutCall, kResized);
  rules.does_not_apply("self_complex", kOutCall, kOut);
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
