#include "campaign/store/totals.h"

#include <gtest/gtest.h>

#include <memory>

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

}  // namespace
}  // namespace indexfuzz
