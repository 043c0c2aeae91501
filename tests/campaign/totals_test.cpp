#include "campaign/store/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "../written_case.h"
#include "ops/operator.h"

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

TEST(Totals, AKernelThatTakesLittleNarrowsItselfByWhatItTakesFarLessOf) {
  const Case strided = written(
      "index_select functional\nself float32 (4, 4) step=(2, 1)\nindex int64 (2) fill=random1\n");
  const Case whole =
      written("index_select functional\nself int16 (4, 4)\nindex int64 (2) fill=random1\n");
  Totals totals;
  totals.implementations.resize(1);
  const auto op = static_cast<std::uint8_t>(place_of(strided.op));
  const auto note = [&](const Case& c, std::uint64_t taken, std::uint64_t refused) {
    for (const Trait trait : traits(c)) {
      totals.traits[{0, op, trait}].taken += taken;
      totals.traits[{0, op, trait}].refused += refused;
    }
    totals.implementations[0][op].agreed += taken;
    totals.implementations[0][op].narrowed += refused;
  };
  note(whole, 50, 950);
  note(strided, 0, 1000);
  EXPECT_THAT(refused_traits(totals, {0, op}), testing::ElementsAre("self is strided"));
  // Of so few not one was to be expected.
  totals.traits.clear();
  note(strided, 0, 20);
  EXPECT_THAT(refused_traits(totals, {0, op}), testing::IsEmpty());
}

}  // namespace
}  // namespace indexfuzz
