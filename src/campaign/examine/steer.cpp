#include "campaign/examine/steer.h"

#include <algorithm>
#include <iterator>

namespace indexfuzz {
namespace {

constexpr std::uint32_t kUsually = 100;
// A new process takes as long as thousands of cases.
constexpr std::uint32_t kProcess = 10'000;
constexpr std::uint32_t kSeconds = 10'000'000;

/// SteeredFailure::one_in. Every case carries a failure without traits, which may hide others: its
/// cases do not become rarer for ending a process.
std::uint32_t one_in(const Verdict& verdict, bool on_gpu, bool has_traits) {
  if (costs_seconds(verdict, on_gpu)) return kSeconds;
  return ends_process(verdict) && has_traits ? kProcess : kUsually;
}

}  // namespace

bool costs_seconds(const Verdict& verdict, bool on_gpu) {
  return verdict.kind == Kind::kHang || (on_gpu && ends_process(verdict));
}

bool is_to_be_steered(const Verdict& verdict, const TraitSet& essential) {
  // Every case has all traits of a failure that has none.
  return verdict.kind == Kind::kHang || !essential.empty() || ends_process(verdict);
}

bool is_to_be_steered(const Finding& finding) {
  // Traits tell little if chance or earlier calls decide.
  const bool each_time = !finding.reruns.is_intermittent() && finding.before.empty();
  return finding.verdict.kind == Kind::kHang ||
         (each_time && is_to_be_steered(finding.verdict, finding.essential));
}

void steer_away(ZygoteClient& zygote, const Case& minimal, const TraitSet& essential,
                const Verdict& verdict, std::uint32_t implementation, std::int64_t least_elements) {
  SharedMemory& memory = zygote.memory();
  const std::uint32_t count = memory.steered.count.load();
  // With only some of its traits, more cases than those of the known failure would be steered.
  if (count >= kMaxSteered || essential.size() > kMostSteeringTraits) return;
  SteeredFailure& failure = memory.steered.entries[count];
  failure.target = steering_target(minimal, implementation);
  const bool on_gpu = zygote.hello().implementations[implementation].on_gpu();
  // A smaller failure, which has not been met yet, would cost as much again.
  failure.least_elements = costs_seconds(verdict, on_gpu) ? 0 : least_elements;
  failure.one_in = one_in(verdict, on_gpu, !essential.empty());
  failure.ends_process = ends_process(verdict);
  failure.trait_count = static_cast<std::uint8_t>(essential.size());
  std::ranges::copy(essential, failure.traits);
  memory.steered.count.store(count + 1, std::memory_order_release);
}

}  // namespace indexfuzz
