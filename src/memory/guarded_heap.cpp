#include "memory/guarded_heap.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

namespace indexfuzz {
namespace {

constexpr std::int64_t kSmallestRegion = 16 << 10;
constexpr std::int64_t kAlignment = 64;
// How many allocations check_live() looks at: enough for those of one call, while a kernel may keep
// very many from earlier calls.
constexpr std::size_t kYoungest = 64;
// While this many regions are live, allocations that fit into the smallest region get plain memory.
constexpr std::size_t kMostGuarded = 4096;
// How often allocation_at() tries to take the lock from a thread that allocates.
constexpr int kLocksTried = 1000;

std::int64_t rounded(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

GuardedHeap& GuardedHeap::instance() {
  static GuardedHeap* heap =
      new GuardedHeap;  // never destroyed, so that it outlives tensors held by static objects
  return *heap;
}

std::vector<GuardedHeap::Block*>& GuardedHeap::free_list(std::size_t bytes,
                                                         std::int64_t& region_bytes) {
  const std::int64_t needed = rounded(static_cast<std::int64_t>(bytes)) + kMargin;
  region_bytes = kSmallestRegion;
  for (std::vector<Block*>& free : free_) {
    if (needed <= region_bytes) return free;
    region_bytes *= 2;
  }
  region_bytes = needed;
  static thread_local std::vector<Block*> none;
  none.clear();
  return none;
}

void* GuardedHeap::allocate_plain(std::size_t bytes) {
  const std::int64_t size = rounded(static_cast<std::int64_t>(bytes));
  void* const data = std::aligned_alloc(kAlignment, static_cast<std::size_t>(size));
  if (data == nullptr) throw std::bad_alloc();
  fill_canary(static_cast<std::byte*>(data), size,
              contents_ == Contents::kCanaries ? kSmallCanary : std::byte{});
  plain_.insert(data);
  ++live_;
  return data;
}

void* GuardedHeap::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > kMaxAllocation) throw std::bad_alloc();
  const std::lock_guard lock(mutex_);
  if (live_blocks_.size() >= kMostGuarded && bytes <= kSmallestRegion - kMargin)
    return allocate_plain(bytes);
  std::int64_t region_bytes = 0;
  std::vector<Block*>& free = free_list(bytes, region_bytes);
  Block* block;
  if (free.empty()) {
    blocks_.push_back(std::make_unique<Block>(Block{.region = Region(region_bytes, kSmallCanary)}));
    block = blocks_.back().get();
    fill_canary(block->region.begin(), block->region.bytes(), kSmallCanary);
  } else {
    block = free.back();
    free.pop_back();
  }
  block->bytes = static_cast<std::int64_t>(bytes);
  block->unchecked = true;
  block->data = left_ ? block->region.begin() : block->region.end() - rounded(block->bytes);
  if (contents_ == Contents::kHarmless) fill_canary(block->data, block->bytes, std::byte{});
  live_blocks_.push_back(block);
  ++live_;
  return block->data;
}

void GuardedHeap::check(Block& block) {
  std::byte* const data = block.data;
  std::byte* const behind = data + block.bytes;
  std::byte* const end = std::min(block.region.end(), data + rounded(block.bytes) + kMargin);
  std::byte* const front = std::max(block.region.begin(), data - kMargin);
  if (all_canary(behind, end, kSmallCanary) && all_canary(front, data, kSmallCanary)) return;
  const auto differs = [](std::byte b) { return b != kSmallCanary; };
  const std::int64_t after = std::count_if(behind, end, differs);
  const std::int64_t before = std::count_if(front, data, differs);
  if (damage_.bytes == 0) {
    damage_.note = std::to_string(after > 0 ? after : before) + " bytes overwritten " +
                   (after > 0 ? "past the end of" : "in front of") + " an allocation of " +
                   std::to_string(block.bytes) + " bytes";
  }
  damage_.bytes += after + before;
  is_damaged_.store(true, std::memory_order_release);
  fill_canary(behind, block.region.end() - behind, kSmallCanary);
  fill_canary(block.region.begin(), data - block.region.begin(), kSmallCanary);
}

void GuardedHeap::release(void* pointer) {
  if (pointer == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (!plain_.empty() && plain_.erase(pointer) != 0) {
    std::free(pointer);
    --live_;
    return;
  }
  // The youngest allocation is usually the first to go.
  for (std::size_t i = live_blocks_.size(); i-- > 0;) {
    Block* block = live_blocks_[i];
    if (block->data != pointer) continue;
    live_blocks_.erase(live_blocks_.begin() + static_cast<std::ptrdiff_t>(i));
    --live_;
    check(*block);
    if (contents_ == Contents::kHarmless)
      kept_.push_back(block);
    else
      free_block(block);
    return;
  }
  if (block_at(pointer) != nullptr) {
    std::fputs("indexfuzz: memory was freed twice\n", stderr);
    std::abort();
  }
  std::free(pointer);
}

const GuardedHeap::Block* GuardedHeap::block_at(const void* address) const {
  const auto at =
      std::ranges::find_if(blocks_, [&](const auto& b) { return b->region.holds(address); });
  return at == blocks_.end() ? nullptr : at->get();
}

void GuardedHeap::free_block(Block* block) {
  fill_canary(block->data, block->bytes, kSmallCanary);
  std::int64_t region_bytes = 0;
  std::vector<Block*>& free = free_list(static_cast<std::size_t>(block->bytes), region_bytes);
  block->bytes = 0;
  if (region_bytes <= kSmallestRegion << (kSizes - 1)) {
    free.push_back(block);
  } else {
    std::erase_if(blocks_, [&](const auto& owned) { return owned.get() == block; });
  }
}

void GuardedHeap::set_contents(Contents contents) {
  const std::lock_guard lock(mutex_);
  contents_ = contents;
  if (contents == Contents::kHarmless) return;
  for (Block* const block : kept_) free_block(block);
  kept_.clear();
}

void GuardedHeap::check_live() {
  const std::lock_guard lock(mutex_);
  const std::size_t old = live_blocks_.size() - std::min(live_blocks_.size(), kYoungest);
  for (std::size_t i = old; i < live_blocks_.size(); ++i) check(*live_blocks_[i]);
}

bool GuardedHeap::idle_intact() {
  const std::lock_guard lock(mutex_);
  bool intact = true;
  if (live_blocks_.size() > kYoungest) {
    for (Block* block : live_blocks_) check(*block);
    intact = take_damage_locked().bytes == 0;
  }
  for (const std::vector<Block*>& free : free_) {
    const bool is_small = &free == &free_[0];
    for (Block* block : free) {
      if (!is_small && !std::exchange(block->unchecked, false)) continue;
      if (all_canary(block->region.begin(), block->region.end(), kSmallCanary)) continue;
      intact = false;
      fill_canary(block->region.begin(), block->region.bytes(), kSmallCanary);
    }
  }
  return intact;
}

GuardedHeap::Damage GuardedHeap::take_damage() {
  if (!is_damaged_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  return take_damage_locked();
}

GuardedHeap::Damage GuardedHeap::take_damage_locked() {
  is_damaged_.store(false, std::memory_order_relaxed);
  return std::exchange(damage_, Damage{});
}

std::int64_t GuardedHeap::allocation_at(const void* address) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  for (int i = 0; !lock && i < kLocksTried; ++i) {
    sched_yield();
    lock.try_lock();
  }
  if (!lock) return -1;
  const Block* const block = block_at(address);
  return block != nullptr ? block->bytes : -1;
}

}  // namespace indexfuzz
