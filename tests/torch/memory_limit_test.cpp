// How much memory a call may take.

#include "run/watch/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace indexfuzz {
namespace {

constexpr std::size_t kMiB = 1 << 20;

/// Whether the system gives the process so much memory.
bool gets(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, bytes);
  return true;
}

TEST(MemoryLimit, EndsWithTheCall) {
  ASSERT_TRUE(gets(1024 * kMiB));
  {
    const LoweredMemoryLimit limit(512 * kMiB);
    EXPECT_TRUE(gets(256 * kMiB));
    EXPECT_FALSE(gets(1024 * kMiB));
    {
      const LoweredMemoryLimit wider(2048 * kMiB);
      EXPECT_FALSE(gets(1024 * kMiB));
    }
    EXPECT_FALSE(gets(1024 * kMiB));
  }
  EXPECT_TRUE(gets(1024 * kMiB));
}

}  // namespace
}  // namespace indexfuzz
