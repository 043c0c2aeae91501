#include "run/session/steering.h"

#include <algorithm>

namespace indexfuzz {
namespace {

/// If hardly any case without the traits is left, one in kRarerOfAll × one_in of all cases runs.
constexpr std::uint64_t kRarerOfAll = 10;

}  // namespace

bool Steering::may_run(const Failure& failure, const SteeringCount& count) {
  if (failure.one_in * (count.carriers_run + 1) <= count.run + 1) return true;
  if (count.run == 0) return count.seen % failure.one_in == 0;
  return count.run * failure.one_in < count.seen &&
         count.seen % (kRarerOfAll * failure.one_in) == 0;
}

bool Steering::carries(const Failure& failure, const TraitSet& all, std::int64_t elements) {
  return elements >= failure.least_elements && includes(all, failure.traits);
}

/// Takes over what was found since the last case.
void Steering::learn(const SharedMemory& memory) {
  const std::uint32_t count =
      std::min<std::uint32_t>(memory.steered.count.load(std::memory_order_acquire), kMaxSteered);
  if (count <= failures_.size()) return;
  for (std::size_t i = failures_.size(); i < count; ++i) {
    const SteeredFailure& failure = memory.steered.entries[i];
    const auto traits = std::min<std::size_t>(failure.trait_count, std::size(failure.traits));
    failures_.push_back({failure.target, i, failure.least_elements, failure.one_in,
                         failure.ends_process, TraitSet(failure.traits, failure.traits + traits)});
  }
  std::ranges::sort(failures_, {}, &Failure::target);
  number_ = UINT64_MAX;
}

Steering::Alike Steering::alike(const Case& c, std::size_t implementation, bool calls_base) const {
  Alike found;
  const auto with = [&](std::uint64_t target) {
    return std::ranges::equal_range(failures_, target, {}, &Failure::target);
  };
  for (const Failure& f : with(steering_target(c, implementation))) found.push_back(&f);
  if (!calls_base || c.breaks == 0) return found;
  // The base is not judged: all that matters is whether it ends the process.
  for (const Failure& f : with(steering_target_of_base(c, implementation)))
    if (f.ends_process) found.push_back(&f);
  return found;
}

bool Steering::turns_away(const SharedMemory& memory, Slot& slot, std::uint64_t number,
                          const Case& c, std::size_t implementation, bool calls_base) {
  learn(memory);
  if (failures_.empty()) return false;
  const Alike all = alike(c, implementation, calls_base);
  if (all.empty()) return false;
  if (number_ != number) {
    traits_ = traits(c);
    elements_ = total_elements(c);
    number_ = number;
  }
  bool away = false;
  for (const Failure* const failure : all) {
    SteeringCount& counted = slot.steering[failure->place];
    ++counted.seen;
    if (carries(*failure, traits_, elements_) && !may_run(*failure, counted)) away = true;
  }
  if (away) return true;
  for (const Failure* const failure : all) {
    SteeringCount& counted = slot.steering[failure->place];
    ++counted.run;
    if (carries(*failure, traits_, elements_)) ++counted.carriers_run;
  }
  return false;
}

bool Steering::would_turn_away(const SharedMemory& memory, const Slot& slot, const Case& c,
                               std::size_t implementation, bool calls_base) {
  learn(memory);
  if (failures_.empty()) return false;
  const Alike all = alike(c, implementation, calls_base);
  if (all.empty()) return false;
  const TraitSet its_traits = traits(c);
  const std::int64_t elements = total_elements(c);
  return std::ranges::any_of(all, [&](const Failure* failure) {
    SteeringCount counted = slot.steering[failure->place];
    ++counted.seen;
    return carries(*failure, its_traits, elements) && !may_run(*failure, counted);
  });
}

}  // namespace indexfuzz
