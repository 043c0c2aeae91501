// How cases are brought into a contract.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../contract/contract_of.h"
#include "draw/draw.h"
#include "ops/contract/keeps.h"
#include "ops/repair/narrow.h"
#include "ops/repair/other_calls.h"
#include "ops/repair/repair.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

TEST(Narrow, TermsThatNoMemoryHoldsAreNotKept) {
  for (const std::string_view text :
       {"[self]\nsize = { least = 128 }", "[self]\nlast_size = { least = 1099511627776 }"}) {
    const Contract contract = contract_of(text);
    Case c = plainest_case(find_operator("index_select")->number, 0, Variant::kFunctional);
    c.operands[0].shape = Dims(10, 1);
    c.operands[0].layout = contiguous_layout(10);
    narrow(contract, c);
    EXPECT_GT(numel(c.operands[0].shape), 0) << text;
    repair(c, {});
    EXPECT_FALSE(keeps(contract, c)) << text;
  }
}

constexpr const char* kContracts[] = {
    "[self]\nstrides='contiguous'\ndtypes=['float32','bfloat16']\nrank=[1,2]\n",
    "[self]\nstrides='rows'\nexpanded=false\noverlapping=false\nsize=[1,64]\n",
    "[self]\nlast_size={least=4,multiple_of=4}\nalignment=16\nelements=[1,4096]\n",
    "[index]\ndtypes=['int64']\nnegative=false\nstrides='contiguous'\n",
    "dim=0\n[index]\nduplicates=false\n",
    "[indices]\ndtypes=['int64']\nrank=1\nnegative=false\n",
    "kernel_size=[1,1]\ndims=[[0],[-1]]\nshifts=3\n",
    "[mask]\ndtypes=['bool']\nstrides='dense'\n[self]\nrank=[1,4]\n",
};

// In some planes that are drawn such a window has no room.
TEST(Draw, MostlyStaysWithinAContractOfWindowsOfOneSize) {
  constexpr int kDrawn = 2000;
  const Contract contract = contract_of("kernel_size=[2,3]\n");
  Limits limits;
  limits.contract = &contract;
  for (const std::string_view name :
       {"im2col", "col2im", "max_pool2d_with_indices", "max_pool2d_with_indices_backward"}) {
    const std::vector<Target> targets = targets_of(*find_operator(name));
    int kept = 0;
    for (std::uint64_t number = 0; number < kDrawn; ++number) {
      Case c;
      draw_case(1, 0, number, targets, limits, c);
      kept += keeps_when_applied(contract, c);
    }
    EXPECT_GT(kept, kDrawn * 9 / 10) << name;
  }
}

TEST(Draw, StaysWithinAContract) {
  for (const char* const text : kContracts) {
    const Contract contract = contract_of(text);
    Limits limits;
    limits.contract = &contract;
    std::map<std::string, std::pair<int, int>> kept_of;  // by operator: kept and all
    for (std::uint64_t number = 0; number < 40'000; ++number) {
      Case c;
      draw_case(1, 0, number, all_targets(), limits, c);
      auto& [kept, all] = kept_of[std::string(operator_of(c).name)];
      kept += keeps_when_applied(contract, c);
      ++all;
      Case again = c;
      repair(again, {});
      EXPECT_EQ(again, c) << "not legal: " << to_text(c);
    }
    // Some operators have no legal case within some contract: padding takes no tensor of rank 1.
    for (const auto& [op, count] : kept_of) {
      EXPECT_TRUE(count.first == 0 || count.first > count.second * 95 / 100)
          << op << ": " << count.first << " of " << count.second << " under\n"
          << text;
    }
  }
}

TEST(Draw, ReachesCasesJustOutsideAContractThatMustRefuseThem) {
  const Contract contract = contract_of(
      "outside='must-refuse'\n[self]\nstrides='contiguous'\nrank=2\ndtypes=['float32']\n");
  Limits limits;
  limits.contract = &contract;
  const OperatorInfo& op = *find_operator("index_select");
  int strides = 0, ranks = 0, dtypes = 0, inside = 0;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    Case c;
    draw_case(1, 0, number, targets_of(op), limits, c);
    const auto breach = sure_breach(contract, c);
    inside += keeps(contract, c);
    if (!breach) continue;
    strides += breach->term == "strides";
    ranks += breach->term == "rank";
    dtypes += breach->term == "dtypes";
  }
  EXPECT_GT(inside, 15'000);
  for (const int count : {strides, ranks, dtypes}) EXPECT_GT(count, 100);
}

TEST(Draw, ReachesValuesAndPlacesOutsideAContract) {
  const Contract contract = contract_of(
      "outside='must-refuse'\n[self]\nalignment=16\n[index]\nduplicates=false\nnegative=false\n");
  Limits limits;
  limits.contract = &contract;
  int alignments = 0, duplicates = 0, negatives = 0;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    Case c;
    draw_case(1, 0, number, targets_of(*find_operator("index_copy")), limits, c);
    const auto breach = c.breaks == 0 ? sure_breach(contract, c) : std::nullopt;
    alignments += breach && breach->term == "alignment";
    duplicates += breach && breach->term == "duplicates";
    negatives += c.breaks != 0 && rule_of(c)->name == "index_below";
  }
  for (const int count : {alignments, duplicates, negatives}) EXPECT_GT(count, 20);
}

TEST(Narrow, ChangesNothingThatIsKept) {
  for (const char* const text : kContracts) {
    const Contract contract = contract_of(text);
    for (std::uint64_t number = 0; number < 2000; ++number) {
      Case c;
      draw_case(3, 0, number, all_targets(), {}, c);
      if (!keeps(contract, c)) continue;
      Case narrowed = c;
      narrow(contract, narrowed);
      repair(narrowed, {});
      EXPECT_EQ(narrowed, c) << text << to_text(c);
    }
  }
}

}  // namespace
}  // namespace indexfuzz
