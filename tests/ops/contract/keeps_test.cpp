// Which cases a contract holds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "case/dim_set.h"
#include "contract_of.h"
#include "ops/contract/keeps.h"
#include "ops/contract/loosen.h"
#include "ops/contract/values.h"
#include "ops/repair/other_calls.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;

TEST(Range, HasANearNumberForEach) {
  EXPECT_EQ(nearest(Range{1, 3, 1}, 0), 1);
  EXPECT_EQ(nearest(Range{1, 3, 1}, 7), 3);
  const Range fours{.multiple_of = 4};
  EXPECT_EQ(nearest(fours, 0), 0);
  EXPECT_EQ(nearest(fours, 1), 4);  // not 0: most tensors would be empty
  EXPECT_EQ(nearest(fours, 11), 8);
  EXPECT_EQ(nearest(Range{5, 9, 4}, 5), 8);
  EXPECT_EQ(nearest(Range{0, 3, 4}, 2), 0);
}

TEST(Keeps, SeesEachTerm) {
  const Case plain = plainest_case(find_operator("gather")->number, 0, Variant::kFunctional);
  Case c = plain;
  c.attributes[0] = 1;
  c.operands[0].shape = c.operands[1].shape = {2, 4};
  for (Operand& operand : c.operands) operand.layout = contiguous_layout(2);
  c.operands[1].fill.kind = FillKind::kAscending;
  repair(c, {});
  const auto broken = [&](std::string_view text, auto change) {
    Case changed = c;
    change(changed);
    const Contract contract = contract_of(text);
    EXPECT_TRUE(keeps(contract, c)) << text;
    const auto breach = first_breach(contract, changed);
    return breach ? describe(*breach, changed) : "nothing";
  };
  EXPECT_EQ(
      broken("[self]\ndtypes=['float32']", [](Case& k) { k.operands[0].dtype = Dtype::kHalf; }),
      "dtypes of self");
  EXPECT_EQ(broken("[self]\nrank=2", [](Case& k) { insert_dimension(k.operands[0], 0, 1); }),
            "rank of self");
  EXPECT_EQ(broken("[index]\nsize=[2,4]", [](Case& k) { k.operands[1].shape[0] = 1; }),
            "size of index");
  EXPECT_EQ(
      broken("[self]\nlast_size={multiple_of=4}", [](Case& k) { k.operands[0].shape[1] = 6; }),
      "last_size of self");
  EXPECT_EQ(broken("[self]\nelements=[1,8]", [](Case& k) { k.operands[0].shape[0] = 3; }),
            "elements of self");
  const auto transpose = [](Case& k) {
    std::swap(k.operands[0].layout.order[0], k.operands[0].layout.order[1]);
  };
  EXPECT_EQ(broken("[self]\nstrides='contiguous'", transpose), "strides of self");
  EXPECT_EQ(broken("[self]\nstrides='rows'", transpose), "strides of self");
  EXPECT_EQ(broken("[self]\nstrides='dense'", transpose), "nothing");
  const auto step = [](Case& k) { k.operands[0].layout.dims[0].step = 2; };
  EXPECT_EQ(broken("[self]\nstrides='dense'", step), "strides of self");
  EXPECT_EQ(broken("[self]\nstrides='rows'", step), "nothing");
  EXPECT_EQ(
      broken("[self]\nstrides='contiguous'", [](Case& k) { k.operands[0].layout.offset = 3; }),
      "nothing");
  const auto expand = [](Case& k) { k.operands[0].layout.dims[0].expanded = true; };
  EXPECT_EQ(broken("[self]\nexpanded=false", expand), "expanded of self");
  EXPECT_EQ(broken("[self]\noverlapping=false",
                   [](Case& k) { k.operands[0].layout.dims[0].slides = true; }),
            "overlapping of self");
  EXPECT_EQ(broken("[self]\nalignment=16", [](Case& k) { k.operands[0].layout.offset = 2; }),
            "alignment of self");
  EXPECT_EQ(broken("[self]\nalignment=16", [](Case& k) { k.operands[0].guard = Guard::kRight; }),
            "alignment of self");
  EXPECT_EQ(broken("[index]\nnegative=false",
                   [](Case& k) { k.operands[1].fill.negatives = Negatives::kSome; }),
            "negative of index");
  EXPECT_EQ(broken("dim=1", [](Case& k) { k.attributes[0] = 0; }), "dim");
  EXPECT_EQ(broken("dim=1", [](Case& k) { k.attributes[0] = -1; }), "dim");
  const auto far = [](Case& k) { k.operands[0].slices = SlicePlacement::kApartBy2To31; };
  EXPECT_EQ(broken("[self]\nstrides='rows'", far), "nothing");
  EXPECT_EQ(broken("[self]\nstrides='dense'", far), "strides of self");
}

/// A case of im2col with these windows.
Case windows(std::int64_t height, std::int64_t width, std::int64_t padding) {
  Case c = plainest_case(find_operator("im2col")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {1, 1, 5, 5};
  c.operands[0].layout = contiguous_layout(4);
  repair(c, {});
  c.attributes[0] = height;
  c.attributes[1] = width;
  c.attributes[3] = padding;
  return c;
}

TEST(Keeps, ComparesListsWithTheAttributesThatTheyHold) {
  EXPECT_TRUE(keeps(contract_of("kernel_size=[2,3]"), windows(2, 3, 0)));
  EXPECT_FALSE(keeps(contract_of("kernel_size=[2,3]"), windows(3, 2, 0)));
  EXPECT_TRUE(keeps(contract_of("kernel_size=[[1,1],[3,2]]"), windows(3, 2, 0)));
  EXPECT_TRUE(keeps(contract_of("kernel_size=3"), windows(3, 3, 0)));
  EXPECT_FALSE(keeps(contract_of("kernel_size=3"), windows(3, 2, 0)));
  // One attribute is passed as both numbers of the list.
  EXPECT_TRUE(keeps(contract_of("padding=[1,1]"), windows(1, 1, 1)));
  EXPECT_FALSE(keeps(contract_of("padding=[1,1]"), windows(1, 1, 0)));
  EXPECT_FALSE(can_be_passed(Integers{0, 1}, overload_of(windows(1, 1, 0)), "padding"));
}

TEST(Keeps, TakesAListOfEqualsForTheNumberThatStandsForAllDimensions) {
  Case c = plainest_case(find_operator("max_pool2d_with_indices")->number, 0, Variant::kFunctional);
  EXPECT_TRUE(keeps(contract_of("dilation=[1,1]"), c));
  EXPECT_TRUE(keeps(contract_of("dilation=[1]"), c));
  EXPECT_TRUE(keeps(contract_of("dilation=1"), c));
  EXPECT_FALSE(keeps(contract_of("dilation=[2,2]"), c));
  EXPECT_FALSE(can_be_passed(Integers{1, 2}, overload_of(c), "dilation"));
  EXPECT_FALSE(can_be_passed(Integers{}, overload_of(c), "dilation"));
}

TEST(SureBreach, OfAListIsNoOtherSpelling) {
  Case c = plainest_case(find_operator("flip")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {2, 3};
  c.operands[0].layout = contiguous_layout(2);
  c.attributes[0] = dim_bit(-1);
  const auto breaches = [&](std::string_view text) {
    return sure_breach(contract_of(text), c).has_value();
  };
  EXPECT_TRUE(keeps(contract_of("dims=[-1]"), c));
  EXPECT_FALSE(keeps(contract_of("dims=[1]"), c));
  EXPECT_FALSE(breaches("dims=[1]"));
  EXPECT_TRUE(breaches("dims=[0]"));
  EXPECT_TRUE(breaches("dims=[0,1]"));
  EXPECT_TRUE(breaches("dims=[]"));
}

TEST(Keeps, TakesADuplicateIndexForOne) {
  const Contract contract = contract_of("[index]\nduplicates=false");
  Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {4};
  c.operands[1].shape = {4};
  c.operands[1].fill.kind = FillKind::kDistinct1;
  repair(c, {});
  EXPECT_TRUE(keeps(contract, c));
  c.operands[1].shape = {5};
  EXPECT_FALSE(keeps(contract, c));
  c.operands[1].shape = {2};
  c.operands[1].fill.kind = FillKind::kFirst;
  EXPECT_FALSE(keeps(contract, c));
  c.operands[1].shape = {1};
  EXPECT_TRUE(keeps(contract, c));
}

TEST(Keeps, TakesAnIndexInTwoPlacesForADuplicate) {
  const Contract contract = contract_of("[index]\nduplicates=false");
  Case c = plainest_case(find_operator("put")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {9};
  c.operands[1].shape = c.operands[2].shape = {2, 2};
  for (Operand& operand : c.operands)
    operand.layout = contiguous_layout(static_cast<int>(operand.shape.size()));
  c.operands[1].fill.kind = FillKind::kAscending;
  repair(c, {});
  EXPECT_TRUE(keeps(contract, c));
  // Both rows hold the second index.
  c.operands[1].layout.dims[0].slides = true;
  repair(c, {});
  ASSERT_TRUE(c.operands[1].layout.dims[0].slides);
  EXPECT_FALSE(keeps(contract, c));
  Limits limits;
  limits.contract = &contract;
  repair(c, limits);
  EXPECT_TRUE(keeps(contract, c));
}

TEST(SureBreach, LeavesOutWhatMayBeKeptByChance) {
  Case c = plainest_case(find_operator("gather")->number, 0, Variant::kFunctional);
  c.operands[0].shape = c.operands[1].shape = {2, 4};
  for (Operand& operand : c.operands) operand.layout = contiguous_layout(2);
  repair(c, {});
  const auto is_sure = [&](std::string_view text) {
    return sure_breach(contract_of(text), c).has_value();
  };
  EXPECT_TRUE(is_sure("[self]\nrank=1"));
  EXPECT_FALSE(is_sure("[index]\nduplicates=false"));
  c.operands[1].fill.negatives = Negatives::kSome;
  EXPECT_FALSE(is_sure("[index]\nnegative=false"));
  c.operands[1].fill.negatives = Negatives::kAll;
  EXPECT_TRUE(is_sure("[index]\nnegative=false"));
  c.operands[0].layout.offset = 1;
  EXPECT_TRUE(is_sure("[self]\nalignment=16"));
  c.operands[0].guard = Guard::kRight;
  EXPECT_FALSE(is_sure("[self]\nalignment=16"));
  c.attributes[0] = -2;  // dimension 0 of two
  EXPECT_FALSE(is_sure("dim=0"));
  EXPECT_TRUE(is_sure("dim=1"));
  // PyTorch calls a tensor contiguous whatever the stride of a dimension of size 1.
  c.operands[0].shape[0] = 1;
  c.operands[0].layout.dims[0].step = 3;
  EXPECT_FALSE(is_sure("[self]\nstrides='contiguous'"));
}

TEST(SureBreach, OfDuplicatesIsADuplicate) {
  const Contract contract = contract_of("[index]\nduplicates=false");
  Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {4};
  c.operands[1].shape = {5};
  repair(c, {});
  EXPECT_TRUE(sure_breach(contract, c));
  c.operands[1].shape = {2};
  c.operands[1].fill.kind = FillKind::kAscending;
  repair(c, {});
  EXPECT_FALSE(sure_breach(contract, c));
  c.operands[1].fill.kind = FillKind::kFirst;
  c.operands[1].fill.negatives = Negatives::kSome;
  EXPECT_TRUE(sure_breach(contract, c));
}

TEST(KeepsWhenApplied, ABrokenRuleMayBreakMoreOfAContractThatMustRefuse) {
  Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
  c.operands[0].shape = {4};
  repair(c, {});
  const auto rules = operator_of(c).rules;
  c.breaks = std::ranges::find(rules, "index_below", &IllegalRule::name)->number;
  EXPECT_FALSE(keeps_when_applied(contract_of("[index]\nnegative=false"), c));
  EXPECT_TRUE(keeps_when_applied(contract_of("outside='must-refuse'\n[index]\nnegative=false"), c));
}

TEST(Loosened, DropsOneTerm) {
  const Contract contract = contract_of("dim=0\n[self]\nrank=2\nstrides='contiguous'\n");
  int rank = 0, strides = 0, values = 0;
  for (std::uint32_t number = 0; number < 3; ++number) {
    const Contract loose = loosened(contract, number);
    rank += loose.tensors[0].rank == Range{};
    strides += loose.tensors[0].strides == Strides::kAny;
    values += loose.values.empty();
  }
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(strides, 1);
  EXPECT_EQ(values, 1);
}

}  // namespace
}  // namespace indexfuzz
