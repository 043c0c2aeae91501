#include "campaign/workers/spares.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "campaign/failure.h"
#include "campaign/workers/death.h"
#include "campaign/workers/gpu_witness.h"

namespace indexfuzz {
namespace {

// A GPU that was reset is back at once, one that is lost never.
constexpr int kMostFailures = 8;
// The driver makes one context after another, four to five a second on an H200, while all processes
// on the GPU wait.
constexpr int kMostOpening = 2;
constexpr std::chrono::seconds kPatience{10};
// Opening a new one takes a quarter of a second.
constexpr std::chrono::seconds kKeptUnasked{3};

}  // namespace

Spares::Spares(ZygoteClient& zygote, SlotRange slots, std::uint32_t implementation)
    : zygote_(zygote),
      slots_(slots),
      implementation_(implementation),
      spares_(static_cast<std::size_t>(slots.count)) {}

void Spares::open(int slot, Spare& spare) {
  Job& job = zygote_.slot(slot).job;
  job = Job{};
  job.type = Job::Type::kRun;
  job.implementation = implementation_;
  job.stays = true;
  zygote_.slot(slot).run_size = 0;
  zygote_.start(slot);
  spare.state = State::kOpening;
  spare.watch.reset();
}

void Spares::look_at(int slot, Spare& spare, int& opening) {
  if (spare.state == State::kOpening) {
    auto status = zygote_.take_ended(slot);
    if (!status && hangs(zygote_, slot, spare.watch, kPatience)) {
      zygote_.kill(slot);
      status = zygote_.take_ended(slot);
    }
    if (!status) {
      ++opening;
      return;
    }
    spare.state = ended_well(zygote_.slot(slot), *status) ? State::kOpen : State::kEmpty;
    count_opened(slot, spare);
  }
  if (spare.state == State::kOpen && zygote_.is_free(slot) && zygote_.jobs_done(slot) == 0)
    spare.state = State::kEmpty;
}

void Spares::count_opened(int slot, const Spare& spare) {
  const Slot& s = zygote_.slot(slot);
  if (spare.state == State::kOpen || zygote_.was_lost(slot)) {
    failures_ = 0;
    gpu_.succeeded();
  } else if (is_temporary(s)) {
    gpu_.failed(s, std::chrono::steady_clock::now());
  } else if (++failures_ == kMostFailures) {
    throw DeviceMissing(unusable_device(s));
  }
}

void Spares::refill() {
  int opening = 0;
  for (int slot = slots_.first; slot < slots_.first + slots_.count; ++slot)
    look_at(slot, spare(slot), opening);
  if (std::chrono::steady_clock::now() - asked_ > kKeptUnasked) {
    for (int slot = slots_.first; slot < slots_.first + slots_.count; ++slot) {
      if (spare(slot).state == State::kOpen && zygote_.jobs_done(slot) > 0) zygote_.kill(slot);
    }
    return;
  }
  for (int slot = slots_.first; slot < slots_.first + slots_.count && opening < kMostOpening;
       ++slot) {
    if (spare(slot).state != State::kEmpty || gpu_.waits(std::chrono::steady_clock::now()))
      continue;
    open(slot, spare(slot));
    ++opening;
  }
}

std::optional<int> Spares::take(bool unused) {
  asked_ = std::chrono::steady_clock::now();
  refill();
  std::optional<int> best;
  for (int slot = slots_.first; slot < slots_.first + slots_.count; ++slot) {
    const int done = zygote_.jobs_done(slot);
    if (spare(slot).state != State::kOpen || done == 0 || (unused && done > 1)) continue;
    if (!best || done > zygote_.jobs_done(*best)) best = slot;
  }
  if (best) {
    spare(*best).state = State::kLent;
  } else if (unused && spare(slots_.first).state == State::kOpen) {
    // The child that takes its place will be unused.
    zygote_.kill(slots_.first);
    refill();
  }
  return best;
}

void Spares::give_back(int slot) {
  spare(slot).state = State::kOpen;
}

}  // namespace indexfuzz
