#include "campaign/workers/spares.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "campaign/workers/death.h"

namespace indexfuzz {
namespace {

// A GPU that was reset is there again at once, one that is lost never.
constexpr int kMostFailures = 8;
// The driver makes one context after another, four to five a second on an H200, and whoever works
// there waits meanwhile.
constexpr int kMostOpening = 2;

}  // namespace

Spares::Spares(ZygoteClient& zygote, SlotRange slots, std::uint32_t implementation)
    : zygote_(zygote),
      slots_(slots),
      implementation_(implementation),
      states_(static_cast<std::size_t>(slots.count), State::kEmpty) {}

void Spares::open(int slot, State& state) {
  Job& job = zygote_.slot(slot).job;
  job = Job{};
  job.type = Job::Type::kRun;
  job.implementation = implementation_;
  job.stays = 1;
  zygote_.slot(slot).run_size = 0;
  zygote_.start(slot);
  state = State::kOpening;
}

void Spares::look_at(int slot, State& state, int& opening) {
  if (state == State::kOpening) {
    const auto status = zygote_.take_ended(slot);
    if (!status) {
      ++opening;
      return;
    }
    const Slot& s = zygote_.slot(slot);
    state = ended_well(s, *status) ? State::kOpen : State::kEmpty;
    failures_ = state == State::kOpen || zygote_.was_lost(slot) ? 0 : failures_ + 1;
    if (failures_ == kMostFailures) throw DeviceMissing(unusable_device(s));
  }
  if (state == State::kOpen && zygote_.is_free(slot) && zygote_.jobs_done(slot) == 0)
    state = State::kEmpty;
}

void Spares::refill() {
  int opening = 0;
  for (int i = 0; i < slots_.count; ++i)
    look_at(slots_.first + i, states_[static_cast<std::size_t>(i)], opening);
  for (int i = 0; i < slots_.count && opening < kMostOpening; ++i) {
    State& state = states_[static_cast<std::size_t>(i)];
    if (state != State::kEmpty) continue;
    open(slots_.first + i, state);
    ++opening;
  }
}

std::optional<int> Spares::take(bool unused) {
  refill();
  std::optional<int> best;
  for (int slot = slots_.first; slot < slots_.first + slots_.count; ++slot) {
    const int done = zygote_.jobs_done(slot);
    if (done == 0 || (unused && done > 1)) continue;
    if (!best || done > zygote_.jobs_done(*best)) best = slot;
  }
  if (!best && unused && zygote_.is_free(slots_.first)) {
    // Its successor will be one.
    zygote_.kill(slots_.first);
    refill();
  }
  return best;
}

}  // namespace indexfuzz
