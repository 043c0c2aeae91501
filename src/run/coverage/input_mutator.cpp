#include "run/coverage/input_mutator.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "case/bytes.h"
#include "draw/input.h"
#include "draw/neighbours.h"

// Weak: null in a build without libFuzzer.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t most);

namespace indexfuzz {
namespace {

// Inputs drawn anew, to try what no input of the corpus leads to.
constexpr std::uint32_t kFreshOneIn = 4;
// libFuzzer asks for as many crossings as for mutations; those of cases lead to less that is new.
constexpr std::uint32_t kCrossOverOneIn = 4;
// Inputs that are not the pool's while it is given out, so that a kernel that dies early on is not
// shown the pool alone.
constexpr std::uint32_t kNewOneIn = 8;
// Inputs that are neighbours, while any are left.
constexpr std::uint32_t kNeighbourOneIn = 2;
constexpr std::size_t kMostWithNeighbours = 256;
// Cases like a known failure are rare, and chance alone would spend them on what was tried before:
// those of the pool, and this many mutants of one that led to something new, wait for their turns.
constexpr int kWaitingMutants = 64;
constexpr std::size_t kMostWaiting = 1024;
// How often those that wait are asked for, so that few others take their turns.
constexpr std::uint32_t kWaitingOneIn = 4;
// About this many of the pool's cases, over all operators, have their neighbours tried in a turn.
constexpr std::uint32_t kPoolShare = 1024;
// A large case takes the time of a hundred others, but only large cases are shared out among
// threads.
constexpr std::int64_t kLarge = 4096;
constexpr std::uint32_t kLargeNeighbourOneIn = 1024;
constexpr std::uint32_t kLargeNeighbourOneInWithThreads = 256;
// Mutants of a very large case are as large: without a limit they took a sixth of the time.
constexpr std::int64_t kVeryLarge = 32768;
constexpr std::uint32_t kVeryLargeOneIn = 8;
constexpr std::uint32_t kVeryLargeOneInWithThreads = 2;

InputMutator* mutator_in_use = nullptr;

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::span<std::byte> bytes_at(std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<std::byte*>(data), size};
}
std::span<const std::byte> bytes_at(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

}  // namespace

InputMutator::InputMutator(std::span<const Target> targets, const Limits& limits,
                           const Environment& environment, const CasePool* pool, FoundCases* found)
    : targets_(targets), limits_(limits), environment_(environment), pool_(pool), found_(found) {}

/// False if the input is not a case of this operator.
bool InputMutator::read(std::span<const std::byte> input, Case& c) const {
  if (!read_input(input, limits_, c) || c.op != targets_.front().op) return false;
  c.environment = environment_;
  return true;
}

/// Makes `case_` the case of the input, which it mostly is already.
bool InputMutator::take(std::span<const std::byte> input) {
  if (made(input) == nullptr) return read(input, case_);
  case_.environment = environment_;
  return true;
}

/// Encodes `case_` as the next input.
std::size_t InputMutator::write(std::span<std::byte> data) {
  case_.environment = {};
  last_size_ = encode_short(case_, last_);
  if (last_size_ > data.size()) return last_size_ = 0;
  std::memcpy(data.data(), last_, last_size_);
  pooled_ = 0;
  return last_size_;
}

const Case* InputMutator::made(std::span<const std::byte> input) const {
  const bool same = last_size_ != 0 && input.size() == last_size_ &&
                    std::memcmp(input.data(), last_, last_size_) == 0;
  return same ? &case_ : nullptr;
}

std::size_t InputMutator::take_from_pool(Choices& choices, std::span<std::byte> data) {
  const std::uint32_t count = pool_->count.load(std::memory_order_acquire);
  while (next_ < count) {
    const std::uint32_t entry = next_++;
    const auto bytes = bytes_of(*pool_, entry);
    if (pool_->entries[entry].op != targets_.front().op || bytes.size() > data.size() ||
        pool_->entries[entry].deadly.load(std::memory_order_relaxed) != 0)
      continue;
    const bool is_case = !plain_bytes_ && read(bytes, other_);
    if (is_case && is_for_later(other_)) {
      wait_for_turn(other_);
      continue;
    }
    std::ranges::copy(bytes, data.begin());
    last_size_ = 0;
    last_hash_ = hash_of(bytes);
    kept_.insert(last_hash_);
    pooled_ = entry + 1;
    // Seeds are included, and later turns try them again, since those have other environments.
    if (is_case && choices.one_in(1 + count / kPoolShare)) want_neighbours_of(other_);
    return bytes.size();
  }
  return 0;
}

/// libFuzzer passes the input that was made last, to be changed further, or one that it keeps.
void InputMutator::notice_kept(std::span<const std::byte> input) {
  if (found_ == nullptr || made(input) != nullptr) return;
  const std::uint64_t hash = hash_of(input);
  if (hash == last_hash_ || kept_.contains(hash)) return;
  // Until all of the pool has run again, what is new to libFuzzer may be known already.
  const bool is_new = pool_is_used_up();
  if (is_new && !offer_found(*found_, input)) return;
  kept_.insert(hash);
  if (!is_new || !read(input, other_)) return;
  want_neighbours_of(other_);
  if (!is_for_later(other_)) return;
  Choices choices(hash);
  for (int i = 0; i < kWaitingMutants; ++i) {
    Case mutant = other_;
    indexfuzz::mutate(choices, targets_, limits_, mutant);
    wait_for_turn(mutant);
  }
}

void InputMutator::want_neighbours_of(const Case& c) {
  Neighbours& like = total_elements(c) > kLarge ? of_large_ : of_small_;
  if (like.cases.size() < kMostWithNeighbours) like.cases.push_back(c);
}

/// Writes the next neighbour into `case_`; false if none is left.
bool InputMutator::next_neighbour(Neighbours& of) {
  for (; !of.cases.empty(); of.cases.pop_front(), of.next = 0) {
    while (neighbour(of.cases.front(), targets_, limits_, of.next++, case_)) {
      switch (takes_ ? takes_(case_) : Taken::kNow) {
        case Taken::kNever: break;
        case Taken::kLater: wait_for_turn(case_); break;
        case Taken::kNow: return true;
      }
    }
  }
  return false;
}

bool InputMutator::is_for_later(const Case& c) const {
  return takes_ && takes_(c) == Taken::kLater;
}

void InputMutator::wait_for_turn(const Case& c) {
  if (waiting_.size() == kMostWaiting) waiting_.pop_front();
  waiting_.push_back(c);
}

/// Makes the last one of those that wait `case_` if its time has come.
bool InputMutator::next_waiting() {
  if (waiting_.empty()) return false;
  const Taken taken = takes_(waiting_.back());
  if (taken == Taken::kLater) return false;
  case_ = waiting_.back();
  waiting_.pop_back();
  return taken == Taken::kNow;
}

bool InputMutator::pool_is_used_up() const {
  return pool_ == nullptr || next_ >= pool_->count.load(std::memory_order_relaxed);
}

std::size_t InputMutator::mutate_bytes(std::span<std::byte> data, std::size_t size) {
  size = LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(data.data()), size, data.size());
  put_operator(targets_.front().op, data.first(size));
  last_size_ = 0;
  pooled_ = 0;
  last_hash_ = hash_of(data.first(size));
  return size;
}

/// Whether `case_` is worth its time: only some of the very large cases are.
bool InputMutator::is_affordable(Choices& choices) const {
  if (total_elements(case_) <= kVeryLarge) return true;
  return choices.one_in(environment_.threads > 1 ? kVeryLargeOneInWithThreads : kVeryLargeOneIn);
}

std::size_t InputMutator::mutate(std::span<std::byte> data, std::size_t size, std::uint32_t seed) {
  notice_kept(data.first(size));
  Choices choices(seed);
  if (!pool_is_used_up() && !choices.one_in(kNewOneIn)) {
    if (const std::size_t taken = take_from_pool(choices, data)) return taken;
  }
  if (plain_bytes_) return mutate_bytes(data, size);
  if (choices.one_in(kWaitingOneIn) && next_waiting()) return write(data);
  const std::uint32_t large_one_in =
      environment_.threads > 1 ? kLargeNeighbourOneInWithThreads : kLargeNeighbourOneIn;
  if (choices.one_in(large_one_in) && next_neighbour(of_large_)) return write(data);
  if (choices.one_in(kNeighbourOneIn) && next_neighbour(of_small_)) return write(data);
  if (!choices.one_in(kFreshOneIn) && take(data.first(size))) {
    indexfuzz::mutate(choices, targets_, limits_, case_);
    if (is_affordable(choices)) return write(data);
  }
  case_.environment = environment_;
  draw(choices, targets_, limits_, case_);
  return write(data);
}

std::size_t InputMutator::cross_over(std::span<const std::byte> a, std::span<const std::byte> b,
                                     std::span<std::byte> result, std::uint32_t seed) {
  notice_kept(a);
  notice_kept(b);
  // 0: libFuzzer asks again, for this or for a mutation.
  if (plain_bytes_ || !pool_is_used_up() || seed % kCrossOverOneIn != 0) return 0;
  last_size_ = 0;
  if (!read(a, case_) || !read(b, other_)) return 0;
  Choices choices(seed);
  splice(choices, other_, limits_, case_);
  return is_affordable(choices) ? write(result) : 0;
}

void mutate_inputs_with(InputMutator& mutator) {
  mutator_in_use = &mutator;
}

}  // namespace indexfuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  using namespace indexfuzz;
  return mutator_in_use->mutate(bytes_at(data, most), size, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size,
                                                 std::uint8_t* result, std::size_t most,
                                                 unsigned int seed) {
  using namespace indexfuzz;
  return mutator_in_use->cross_over(bytes_at(a, a_size), bytes_at(b, b_size),
                                    bytes_at(result, most), seed);
}
