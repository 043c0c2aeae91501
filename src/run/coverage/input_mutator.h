#pragma once
// What libFuzzer asks for through LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver: inputs are
// decoded, changed as cases, and encoded again.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "draw/mutate.h"
#include "run/coverage/case_pool.h"

namespace indexfuzz {

class InputMutator {
 public:
  /// Of one operator; inputs hold the plain environment, whichever they are made for. `pool` and
  /// `found` are a campaign's, null elsewhere: nearly every input is one of the pool's until all
  /// were given out; from then on inputs that libFuzzer keeps are offered to `found`, and all their
  /// neighbours are tried, as are those of some of the pool's.
  InputMutator(std::span<const Target> targets, const Limits& limits,
               const Environment& environment, const CasePool* pool, FoundCases* found);

  /// From now on bytes are changed as libFuzzer changes those of any target, all but the
  /// operator's, and cross_over() makes nothing, which leaves that to libFuzzer too.
  void change_plain_bytes() { plain_bytes_ = true; }

  /// Neighbours of which this says that nobody takes them are left out.
  void ask_who_takes(std::function<bool(const Case&)> takes) { takes_ = std::move(takes); }

  /// Changes the first `size` bytes of `data` in place; the new size, data.size() at most.
  std::size_t mutate(std::span<std::byte> data, std::size_t size, std::uint32_t seed);
  /// Writes parts of both into `result`; the size, or 0 where that is no input.
  std::size_t cross_over(std::span<const std::byte> a, std::span<const std::byte> b,
                         std::span<std::byte> result, std::uint32_t seed);

  /// The case of the input last made, if this is it; else null.
  const Case* made(std::span<const std::byte> input) const;
  /// 1 + the pool's entry that the input last made is; 0: it is a new one.
  std::uint32_t pooled() const { return pooled_; }

 private:
  std::size_t take_from_pool(Choices& choices, std::span<std::byte> data);
  void want_neighbours_of(std::span<const std::byte> input);
  bool read(std::span<const std::byte> input, Case& c) const;
  bool take(std::span<const std::byte> input);
  std::size_t write(std::span<std::byte> data);
  std::size_t mutate_bytes(std::span<std::byte> data, std::size_t size);
  bool pool_is_used_up() const;
  void notice_kept(std::span<const std::byte> input);
  /// Of cases that wait for it.
  struct Neighbours {
    std::deque<Case> cases;
    std::uint32_t next = 0;  ///< number of the first one's
  };
  bool is_affordable(Choices& choices) const;
  bool next_neighbour(Neighbours& of);

  std::span<const Target> targets_;
  Limits limits_;
  Environment environment_;
  const CasePool* pool_;
  FoundCases* found_;
  bool plain_bytes_ = false;
  std::function<bool(const Case&)> takes_;
  std::uint32_t next_ = 0;  ///< entry of the pool
  std::uint32_t pooled_ = 0;

  std::uint64_t last_hash_ = 0;  ///< of the input last made of no case
  std::size_t last_size_ = 0;
  std::byte last_[kEncodedBytes];
  std::unordered_set<std::uint64_t> kept_;
  Neighbours of_small_, of_large_;
  Case case_, other_;
};

/// Whose methods libFuzzer's hooks call; set once, before libFuzzer is started.
void mutate_inputs_with(InputMutator& mutator);

}  // namespace indexfuzz
