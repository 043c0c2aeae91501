#pragma once
// The allocations of a kernel: each in a guarded region of its own, between canaries.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "memory/region.h"

namespace indexfuzz {

/// Serves any number of allocations, aligned to 64 bytes as PyTorch's CPU allocator does, each as
/// close to the guard page behind it as that alignment permits, or at the one before it. Regions
/// are mapped once and reused; free memory holds canaries, so that what a kernel leaves unwritten
/// shows. Of more than 4,096 at once the small ones are plain memory: a system has room for some
/// ten thousand regions, and a kernel that makes a tensor of each row is not wrong. Thread-safe.
class GuardedHeap {
 public:
  struct Damage {
    std::int64_t bytes = 0;  ///< canary bytes overwritten
    std::string note;  ///< of the first one: "4 bytes overwritten past the end of an allocation of
                       ///< 24 bytes"
  };

  static GuardedHeap& instance();

  /// From now on allocations begin where their memory does.
  void set_flush_left(bool left) { left_.store(left, std::memory_order_relaxed); }
  /// What a kernel finds in memory that it has not written: canaries, or for a call or two zeros in
  /// new memory and, in what it gives back, what lay there.
  enum class Contents : bool { kCanaries, kHarmless };
  void set_contents(Contents contents);
  /// Never null for more than 0 bytes; 0 bytes: null. Throws std::bad_alloc above kMaxAllocation.
  void* allocate(std::size_t bytes);
  /// Null is allowed. Aborts where the memory is not allocated any more, as malloc does; what
  /// another allocator gave is left to free(), as PyTorch's own would.
  void release(void* pointer);

  /// Checks the canaries of the youngest allocations alive.
  void check_live();
  /// Checks all bytes of the small regions that serve no allocation now, for writes that went far,
  /// and the canaries of all allocations that a kernel keeps: once a batch. Damage is taken away.
  bool idle_intact();
  /// What was found since the last call, at releases and by check_live().
  Damage take_damage();
  /// Bytes of the allocation in whose region (guard pages included) the address lies; -1 for none,
  /// or where the heap stays locked. For the handler of a fatal signal: waits for other threads a
  /// moment, allocates nothing.
  std::int64_t allocation_at(const void* address);
  std::int64_t live_allocations() const { return live_.load(std::memory_order_relaxed); }

  static constexpr std::size_t kMaxAllocation = std::size_t{1} << 30;

 private:
  /// A region that serves one allocation at a time.
  struct Block {
    Region region;
    std::int64_t bytes = 0;  ///< of the allocation; 0 when free
    std::byte* data = nullptr;
  };
  /// 16 KiB, 32 KiB, … 8 MiB: what a kernel keeps of many takes at most about twice its bytes.
  static constexpr int kSizes = 10;

  GuardedHeap() = default;
  std::vector<Block*>& free_list(std::size_t bytes, std::int64_t& region_bytes);
  void* allocate_plain(std::size_t bytes);
  void free_block(Block* block);
  void check(Block& block);
  /// In whose region, guard pages included, the address lies; null for none.
  const Block* block_at(const void* address) const;
  Damage take_damage_locked();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> free_[kSizes];  ///< by the size of their regions, the smallest first
  std::vector<Block*> live_blocks_;
  std::vector<Block*> kept_;  ///< given back under Contents::kHarmless, and not yet free
  Contents contents_ = Contents::kCanaries;
  std::unordered_set<void*> plain_;  ///< those alive that have no region
  // Looked at for every call, without the mutex.
  std::atomic<std::int64_t> live_ = 0;
  std::atomic<bool> left_ = false;
  std::atomic<bool> is_damaged_ = false;  ///< whether `damage_` holds any
  Damage damage_;
};

}  // namespace indexfuzz
