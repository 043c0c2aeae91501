#include "draw/neighbours.h"

#include <gtest/gtest.h>

#include <set>

#include "../written_case.h"

namespace indexfuzz {
namespace {

std::vector<Case> neighbours_of(const Case& c, const Limits& limits = {}) {
  std::vector<Target> targets = all_targets();
  std::erase_if(targets, [&](const Target& target) { return target.op != c.op; });
  std::vector<Case> all;
  for (Case next; neighbour(c, targets, limits, static_cast<std::uint32_t>(all.size()), next);)
    all.push_back(next);
  return all;
}

TEST(Neighbours, AreLegalCasesOfTheSameOperator) {
  for (const OperatorInfo* row : operators()) {
    std::vector<Target> targets = all_targets();
    std::erase_if(targets, [&](const Target& target) { return target.op != row->number; });
    for (std::uint64_t i = 0; i < 50; ++i) {
      Case c;
      draw_case(3, 0, i, targets, {}, c);
      const auto all = neighbours_of(c);
      EXPECT_EQ(all.empty(), c.breaks != 0);
      for (const Case& next : all) {
        EXPECT_EQ(why_illegal(next), "") << to_text(next);
        EXPECT_EQ(next.op, c.op);
      }
    }
  }
}

TEST(Neighbours, AreInEveryDtypeWithEveryIndexDtypeAndInEveryForm) {
  const Case c = written(
      "gather functional\nself float32 (3, 4) order=(1, 0)\nindex int64 (2, 4) "
      "fill=few1\n");
  std::set<std::pair<Dtype, Dtype>> dtypes;
  std::set<Variant> variants;
  for (const Case& next : neighbours_of(c)) {
    dtypes.insert({next.operands[0].dtype, next.operands[1].dtype});
    variants.insert(next.variant);
    EXPECT_EQ(next.operands[0].shape, c.operands[0].shape);
    EXPECT_EQ(next.operands[0].layout, c.operands[0].layout);
    EXPECT_EQ(next.operands[1].shape, c.operands[1].shape);
  }
  EXPECT_EQ(dtypes.size(), 2u * kDtypeCount);
  EXPECT_EQ(variants, (std::set{Variant::kFunctional, Variant::kOut}));
}

TEST(Neighbours, HaveEveryFlagAndEveryMode) {
  const Case c = written(
      "scatter_reduce functional\nself float32 (3, 4) fill=sums1\n"
      "index int64 (2, 4) fill=few1\nsrc float32 (2, 4) fill=sums1\n");
  const auto attributes = overload_of(c).attributes;
  std::set<std::pair<std::size_t, std::int64_t>> others;
  for (const Case& next : neighbours_of(c)) {
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      if (next.attributes[a] != c.attributes[a]) others.insert({a, next.attributes[a]});
    }
  }
  // reduce has five words, include_self is a flag.
  EXPECT_EQ(others.size(), 4u + 1u);
}

TEST(Neighbours, AreOverEitherKindOfMask) {
  std::set<std::pair<Dtype, Dtype>> dtypes;
  for (const Case& next : neighbours_of(written("index.Tensor functional\nself float32 (3)\n"
                                                "indices bool (3) fill=mask_front popcount=2\n")))
    dtypes.insert({next.operands[0].dtype, next.operands[1].dtype});
  EXPECT_EQ(dtypes.size(), 2u * kDtypeCount);
}

TEST(Neighbours, StayInsideTheLimits) {
  Limits limits;
  limits.dtypes = set_of(Dtype::kFloat) | set_of(Dtype::kHalf);
  std::set<Dtype> dtypes;
  for (const Case& next : neighbours_of(
           written("take functional\nself float32 (3)\nindex int64 (2) fill=few1\n"), limits))
    dtypes.insert(next.operands[0].dtype);
  EXPECT_EQ(dtypes, (std::set{Dtype::kFloat, Dtype::kHalf}));
}

}  // namespace
}  // namespace indexfuzz
