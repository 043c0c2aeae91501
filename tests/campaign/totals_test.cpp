#include "campaign/counts/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../written_case.h"
#include "draw/draw.h"
#include "judge/traits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

TEST(Totals, AreThoseOfAllWorkersAndTheOwnOnes) {
  const auto bytes = std::make_unique<std::byte[]>(shared_memory_bytes(3));
  SharedMemory& memory = *new (bytes.get()) SharedMemory;
  for (int w = 0; w < 3; ++w) (new (&memory.slots[w]) Slot{})->tallies[1][2].agreed = 10;
  PairTable own(2);
  own[1][2].refused = 5;
  own[0][2].findings = 1;
  const Totals totals = add_up(memory, 2, own);
  EXPECT_EQ(totals.implementations[1][2].agreed, 20u);
  EXPECT_EQ(totals.implementations[1][2].refused, 5u);
  EXPECT_EQ(totals.cases, 26u);
}

TEST(Totals, AKernelNarrowsItselfByWhatItTakesFarLessOfThanWasToBeExpected) {
  const Case strided = written(
      "index_select functional\nself int16 (4, 4) step=(2, 1)\nindex int64 (2) fill=first\n");
  const auto op = static_cast<std::uint8_t>(place_of(strided.op));
  const TraitSet both = traits(strided);
  ASSERT_EQ(both.size(), 2u);
  // Of two workers, of which neither has seen enough.
  const auto bytes = std::make_unique<std::byte[]>(shared_memory_bytes(2));
  SharedMemory& memory = *new (bytes.get()) SharedMemory;
  for (int w = 0; w < 2; ++w) {
    Slot& slot = *new (&memory.slots[w]) Slot{};
    for (std::size_t t = 0; t < both.size(); ++t) {
      auto& entry = slot.refused_traits.entries[100 * w + t];
      entry.of = number_of({0, op, both[t]});
      entry.expected = 4;
      entry.taken = describe(both[t], strided) == "self is int16" ? 2 : 0.5;
    }
  }
  EXPECT_THAT(refused_traits(add_up(memory, 1, PairTable(1)), {0, op}), testing::IsEmpty());
  EXPECT_THAT(refused_traits(add_up(memory, 2, PairTable(1)), {0, op}),
              testing::ElementsAre("self is strided"));
}

TEST(Totals, ARefusedTraitHasTheNamesOfAllOverloadsThatMayHaveIt) {
  const std::vector<Target> targets = all_targets();
  for (std::size_t op = 0; op < operators().size(); ++op) {
    Totals totals;
    std::map<Trait, std::string> told;
    std::vector<Target> own = targets;
    std::erase_if(own, [&](const Target& t) { return t.op != operators()[op]->number; });
    for (std::uint64_t number = 0; number < 300; ++number) {
      Case c;
      draw_case(5, 0, number, own, {.gpu = false}, c);
      for (const Trait trait : traits_and_ranks(c)) {
        EXPECT_TRUE(has_subject(c, trait)) << describe(trait, c);
        told[trait] = describe(trait, c);
      }
    }
    for (const auto& [trait, words] : told) {
      totals.traits.clear();
      totals.traits[{0, static_cast<std::uint8_t>(op), trait}] = {.taken = 0, .expected = 1e6};
      const auto refused = refused_traits(totals, {0, op});
      ASSERT_EQ(refused.size(), 1u) << words;
      // What a fill holds is told of a case alone.
      if (!tells_of_fill(trait) && words.find(" is None") == std::string::npos) {
        EXPECT_THAT(refused[0], testing::HasSubstr(words));
      }
    }
  }
}

}  // namespace
}  // namespace indexfuzz
