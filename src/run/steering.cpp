#include "run/steering.h"

#include <algorithm>

namespace indexfuzz {
namespace {

/// One carrier in so many of the cases that run.
constexpr std::uint64_t kOneIn = 100;
/// And one in so many of all cases where hardly any case is left that does not carry the traits.
constexpr std::uint64_t kOneInAll = 1000;

bool may_run(const SteeringCount& count) {
  if (kOneIn * (count.carriers_run + 1) <= count.run + 1) return true;
  return count.run * kOneIn < count.seen && count.seen % kOneInAll == 0;
}

}  // namespace

void Steering::learn(const SharedMemory& memory, std::uint32_t count) {
  for (std::size_t i = failures_.size(); i < count; ++i) {
    const SteeredFailure& failure = memory.steered[i];
    failures_.push_back(
        {failure.target, i, TraitSet(failure.traits, failure.traits + failure.trait_count)});
  }
  std::ranges::sort(failures_, {}, &Failure::target);
  number_ = UINT64_MAX;
}

bool Steering::turns_away(const SharedMemory& memory, Slot& slot, std::uint64_t number,
                          const Case& c, std::size_t implementation) {
  const std::uint32_t count = memory.steered_count.load(std::memory_order_acquire);
  if (count == 0) return false;
  if (count != failures_.size()) learn(memory, count);
  const auto alike =
      std::ranges::equal_range(failures_, steering_target(c, implementation), {}, &Failure::target);
  if (alike.empty()) return false;
  if (number_ != number) {
    traits_ = traits(c);
    number_ = number;
  }
  const auto carries = [&](const Failure& failure) { return includes(traits_, failure.traits); };
  bool away = false;
  for (const Failure& failure : alike) {
    SteeringCount& counted = slot.steering[failure.place];
    ++counted.seen;
    if (carries(failure) && !may_run(counted)) away = true;
  }
  if (away) return true;
  for (const Failure& failure : alike) {
    SteeringCount& counted = slot.steering[failure.place];
    ++counted.run;
    if (carries(failure)) ++counted.carriers_run;
  }
  return false;
}

}  // namespace indexfuzz
