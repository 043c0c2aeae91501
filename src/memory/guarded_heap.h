#pragma once
// The allocator for kernels: each allocation lies in a guarded region of its own, between canaries.

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

/// Serves any number of allocations, aligned to 64 bytes as by PyTorch's CPU allocator. Each ends
/// as close to the guard page behind it as the alignment permits, or begins at the one in front of
/// it (set_flush_left()). Regions are mapped once and reused. Free memory holds canaries, so that
/// elements that a kernel leaves unwritten are noticed. While 4,096 guarded allocations are live,
/// further small ones get plain memory: a system has room for about ten thousand regions, and a
/// kernel may well make a tensor of each row. Thread-safe.
class GuardedHeap {
 public:
  struct Damage {
    std::int64_t bytes = 0;  ///< canary bytes overwritten
    std::string note;  ///< on the first allocation concerned: "4 bytes overwritten past the end of
                       ///< an allocation of 24 bytes"
  };

  /// The only one, made at the first call and never destroyed.
  static GuardedHeap& instance();

  /// True: later allocations begin at the guard page in front of them. False: they end near the one
  /// behind them.
  void set_flush_left(bool left) { left_.store(left, std::memory_order_relaxed); }
  /// What a kernel finds in memory that it has not written. kCanaries: canaries, also in freed
  /// memory. kHarmless, meant for a call or two: zeros in new allocations, while freed memory keeps
  /// its contents.
  enum class Contents : bool { kCanaries, kHarmless };
  void set_contents(Contents contents);
  /// Never null for more than 0 bytes; 0 bytes: null. Throws std::bad_alloc above kMaxAllocation.
  void* allocate(std::size_t bytes);
  /// Null is allowed. Aborts if the memory was freed before, as malloc does. Passes memory of
  /// another allocator to free(), as PyTorch's own allocator does.
  void release(void* pointer);

  /// Checks the canaries of the youngest live allocations.
  void check_live();
  /// To be called once a batch. False if canaries were overwritten:
  /// - in free regions, all bytes of them, for writes that went far or came late; in large ones
  ///   only if they were used since the last call;
  /// - around live allocations, if there are more than check_live() checks.
  /// Restores the canaries, and discards the damage found.
  bool idle_intact();
  /// The damage found by release() and check_live() since the last take_damage().
  Damage take_damage();
  /// The size in bytes of the allocation whose region (guard pages included) holds the address. 0
  /// if that region is free; -1 if there is none, or if the heap stays locked. For the handler of a
  /// fatal signal: waits only a moment for other threads and allocates nothing.
  std::int64_t allocation_at(const void* address);
  std::int64_t live_allocations() const { return live_.load(std::memory_order_relaxed); }

  static constexpr std::size_t kMaxAllocation = std::size_t{1} << 30;

 private:
  /// A region that serves one allocation at a time.
  struct Block {
    Region region;
    std::int64_t bytes = 0;  ///< of the allocation; 0 when free
    std::byte* data = nullptr;
    bool unchecked = false;  ///< served an allocation since idle_intact() looked at it
  };
  /// Regions have 16 KiB, 32 KiB, … 8 MiB, so that allocations that a kernel keeps take at most
  /// about twice their bytes, unless they are small.
  static constexpr int kSizes = 10;

  GuardedHeap() = default;
  std::vector<Block*>& free_list(std::size_t bytes, std::int64_t& region_bytes);
  void* allocate_plain(std::size_t bytes);
  void free_block(Block* block);
  void check(Block& block);
  /// The block whose region (guard pages included) holds the address; null if there is none.
  const Block* block_at(const void* address) const;
  Damage take_damage_locked();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> free_[kSizes];  ///< by region size, the smallest first
  std::vector<Block*> live_blocks_;
  std::vector<Block*> kept_;  ///< released under Contents::kHarmless, and not yet free
  Contents contents_ = Contents::kCanaries;
  std::unordered_set<void*> plain_;  ///< live allocations without a region
  // Read at every call without the mutex.
  std::atomic<std::int64_t> live_ = 0;
  std::atomic<bool> left_ = false;
  std::atomic<bool> is_damaged_ = false;  ///< whether `damage_` holds any
  Damage damage_;
};

}  // namespace indexfuzz
