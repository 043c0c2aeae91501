#include "campaign/examine/known_failures.h"

#include <gtest/gtest.h>

#include <memory>

namespace indexfuzz {
namespace {

TEST(KnownFailures, AreFullOnlyWhileNoneIsDropped) {
  const auto bytes = std::make_unique<std::byte[]>(shared_memory_bytes(0));
  KnownFailures known(*new (bytes.get()) SharedMemory);
  for (int i = 0; i < kMaxKnownFailures; ++i) {
    EXPECT_FALSE(known.full());
    EXPECT_EQ(known.add(static_cast<std::uint64_t>(i) + 1, {}), i);
  }
  EXPECT_TRUE(known.full());
  EXPECT_EQ(known.add(5000, {}), -1);
  EXPECT_TRUE(known.holds(3, {}));
  EXPECT_FALSE(known.holds(3, {}, 2)) << "but for itself";
  EXPECT_FALSE(known.holds(5000, {}));

  known.drop(2);
  EXPECT_FALSE(known.full());
  EXPECT_FALSE(known.holds(3, {}));
  EXPECT_EQ(known.add(5000, {}), 2);
  EXPECT_TRUE(known.full());
  EXPECT_TRUE(known.holds(5000, {}));
}

}  // namespace
}  // namespace indexfuzz
