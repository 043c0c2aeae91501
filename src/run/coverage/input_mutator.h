#pragma once
// The work behind LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver: inputs are decoded,
// changed as cases, and encoded again.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "draw/mutate.h"
#include "run/coverage/taken.h"
#include "run/shared/case_pool.h"

namespace indexfuzz {

/// Makes the inputs of one process, and remembers which it has made.
class InputMutator {
 public:
  /// Makes inputs of one operator. They hold the plain environment, whatever `environment` they are
  /// made for. `pool` and `found` are a campaign's; null without one.
  /// 1. Until the whole pool has been given out, nearly every input comes from it.
  /// 2. From then on, inputs that libFuzzer keeps are offered to `found`, and all their neighbours
  ///    are tried, as are those of some cases of the pool.
  InputMutator(std::span<const Target> targets, const Limits& limits,
               const Environment& environment, const CasePool* pool, FoundCases* found);

  /// From now on libFuzzer's own mutation changes all bytes except the operator's, as for any
  /// target. cross_over() then makes nothing, so that libFuzzer does that, too.
  void change_plain_bytes() { plain_bytes_ = true; }

  /// Sets how to find out who runs a case. Neighbours that are kNever taken are left out. Those
  /// taken kLater wait; so do mutants of a kept case that is taken kLater. Those that wait mostly
  /// come before other inputs like them.
  void ask_who_takes(std::function<Taken(const Case&)> takes) { takes_ = std::move(takes); }

  /// Changes the first `size` bytes of `data` in place; returns the new size, at most data.size().
  std::size_t mutate(std::span<std::byte> data, std::size_t size, std::uint32_t seed);
  /// Writes parts of both into `result`; returns the size, or 0 if that gives no input.
  std::size_t cross_over(std::span<const std::byte> a, std::span<const std::byte> b,
                         std::span<std::byte> result, std::uint32_t seed);

  /// The case of the input made last, if `input` is that one; else null.
  const Case* made(std::span<const std::byte> input) const;
  /// 1 + the pool's entry that was given out as the last input; 0: that input is new.
  std::uint32_t pooled() const { return pooled_; }

 private:
  std::size_t take_from_pool(Choices& choices, std::span<std::byte> data);
  void want_neighbours_of(const Case& c);
  bool read(std::span<const std::byte> input, Case& c) const;
  bool take(std::span<const std::byte> input);
  std::size_t write(std::span<std::byte> data);
  std::size_t mutate_bytes(std::span<std::byte> data, std::size_t size);
  bool pool_is_used_up() const;
  void notice_kept(std::span<const std::byte> input);
  /// Cases whose neighbours are still to be tried.
  struct Neighbours {
    std::deque<Case> cases;
    std::uint32_t next = 0;  ///< the number of the first case's next neighbour
  };
  bool is_affordable(Choices& choices) const;
  bool next_neighbour(Neighbours& of);
  bool is_for_later(const Case& c) const;
  void wait_for_turn(const Case& c);
  bool next_waiting();

  std::span<const Target> targets_;
  Limits limits_;
  Environment environment_;
  const CasePool* pool_;
  FoundCases* found_;
  bool plain_bytes_ = false;
  std::function<Taken(const Case&)> takes_;
  std::uint32_t next_ = 0;  ///< the pool's next entry to give out
  std::uint32_t pooled_ = 0;

  std::uint64_t last_hash_ = 0;  ///< of the last input that was not encoded from `case_`
  std::size_t last_size_ = 0;
  std::byte last_[kEncodedBytes];
  std::unordered_set<std::uint64_t> kept_;
  Neighbours of_small_, of_large_;
  std::deque<Case> waiting_;  ///< cases that are taken later, the most promising last
  Case case_, other_;
};

/// Sets the mutator that libFuzzer's hooks call; once, before libFuzzer is started.
void mutate_inputs_with(InputMutator& mutator);

}  // namespace indexfuzz
