#pragma once
// The allocations of a kernel: each in a guarded region of its own, between canaries.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/region.h"

namespace indexfuzz {

/// Serves any number of allocations, aligned to 64 bytes as PyTorch's CPU allocator does, each as close
/// to the guard page behind it as that alignment permits. Regions are mapped once and reused. Thread-safe.
class GuardedHeap {
 public:
  struct Damage {
    std::int64_t bytes = 0;  ///< canary bytes overwritten
    std::string note;        ///< of the first one: "4 bytes after an allocation of 24 bytes"
  };

  static GuardedHeap& instance();

  /// Never null for a size up to the limit; throws std::bad_alloc above it. 0 bytes: null.
  void* allocate(std::size_t bytes);
  void release(void* pointer);

  /// Checks the canaries of every allocation alive.
  void check_live();
  /// What was found since the last call, at releases and by check_live().
  Damage take_damage();
  /// Bytes of the allocation that `pointer` lies in or next to (guard pages included); -1 for none.
  std::int64_t allocation_at(const void* pointer) const;
  std::int64_t live_allocations() const;

 private:
  GuardedHeap() = default;
  struct Slot;
  struct State;
  State& state() const;
};

}  // namespace indexfuzz
