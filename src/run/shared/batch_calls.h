#pragma once
// Which implementations have been called on which cases of a batch on GPUs, in the memory shared
// with the supervisor: if a call of the batch has ended the process, it is one of these.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "run/shared/batch.h"

namespace indexfuzz {

/// Indexed by implementation and by the case's place in the batch; only one process writes.
template <std::size_t kImplementations>
class BatchCalls {
 public:
  void clear() {
    for (auto& words : words_) {
      for (auto& word : words) word.store(0, std::memory_order_relaxed);
    }
  }
  void note(std::size_t implementation, std::uint64_t place) {
    auto& word = words_[implementation][place / kBits];
    word.store(word.load(std::memory_order_relaxed) | bit(place), std::memory_order_relaxed);
  }
  bool holds(std::size_t implementation, std::uint64_t place) const {
    return (words_[implementation][place / kBits].load() & bit(place)) != 0;
  }

 private:
  static constexpr std::uint64_t kBits = 64;
  static std::uint64_t bit(std::uint64_t place) { return std::uint64_t{1} << place % kBits; }

  std::atomic<std::uint64_t> words_[kImplementations][kBatch / kBits];
};

}  // namespace indexfuzz
