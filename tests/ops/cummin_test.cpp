// cummin's oracle and its equals, by hand. What it shares with cummax stands in cummax_test.cpp.

#include "ordered_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<std::int64_t>;

std::string running(std::string_view result, std::string_view dim, std::string_view self) {
  return call_on("cummin", result, "dim=" + std::string(dim), self);
}

TEST(Cummin, HoldsTheLeastSoFar) {
  const Positions self{5, 1, 3, 4, 2, 0};
  const auto result = [&](std::string_view which, std::string_view dim) {
    return result_of<std::int64_t>(running(which, dim, "int64 (2, 3)"), self);
  };
  EXPECT_EQ(result("values", "1"), (Positions{5, 1, 1, 4, 2, 0}));
  EXPECT_EQ(result("indices", "1"), (Positions{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(result("values", "-2"), (Positions{5, 1, 3, 4, 1, 0}));
  EXPECT_EQ(result("indices", "-2"), (Positions{0, 0, 0, 1, 0, 1}));
}

TEST(Cummin, NanStays) {
  const std::vector<float> self{1, kNan, -kInfinity, kNan};
  EXPECT_EQ(result_of<std::int64_t>(running("indices", "0", "float32 (4)"), self),
            (Positions{0, 1, 1, 3}));
}

TEST(Cummin, AnyOfEqualsUpToAPlaceMayBeNamed) {
  const std::vector<float> self{1, -0.0f, 0, -2, -2};
  EXPECT_THAT(choices_of<std::int64_t>(running("indices", "0", "float32 (5)"), self),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(1, 2), ElementsAre(3),
                          ElementsAre(3, 4)));
  EXPECT_THAT(choices_of<std::uint32_t>(running("values", "0", "float32 (5)"), self),
              ElementsAre(IsEmpty(), ElementsAre(kMinus), ElementsAre(kPlus, kMinus), IsEmpty(),
                          IsEmpty()));
}

TEST(Cummin, LongSlicesHaveFewEquals) {
  const auto indices = [](std::string_view self) { return running("indices", "0", self); };
  EXPECT_THAT(error_of(indices("float16 (865332) seed=6")),
              HasSubstr("its shape must be (108166), not (865332)"));
  std::size_t positions = 0;
  for (const auto& of_place : expectation(written(indices("float16 (108166) seed=6"))).admissible)
    positions += of_place.size();
  EXPECT_LE(positions, 1u << 20);
}

}  // namespace
}  // namespace indexfuzz
