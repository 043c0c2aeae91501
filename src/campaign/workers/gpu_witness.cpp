#include "campaign/workers/gpu_witness.h"

#include <algorithm>
#include <optional>

#include "campaign/failure.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;

// A process that waited before the witness is served before it, and then needs a moment to go on.
constexpr milliseconds kLongestMoment{500};
constexpr std::chrono::minutes kLongestSilence{5};

/// The implementation whose GPU the child may be waiting for; none if it waits for no GPU.
std::optional<std::uint32_t> waits_for(const Hello& hello, const Slot& slot) {
  const auto& all = hello.implementations;
  std::uint32_t called = slot.implementation.load(std::memory_order_relaxed);
  // Between calls it waits for the end of them all.
  if (called >= all.size() && slot.job.type == Job::Type::kRun) called = slot.job.implementation;
  if (called >= all.size() && slot.batch_end.load(std::memory_order_relaxed) != 0)
    called = first_on_gpu(hello).value_or(called);
  if (called >= all.size() || !all[called].on_gpu()) return std::nullopt;
  return called;
}

}  // namespace

void GpuWitness::ask(std::uint32_t implementation, Time now) {
  Job& job = zygote_.slot(slot_).job;
  job = Job{};
  job.type = Job::Type::kTryGpu;
  job.implementation = implementation;
  job.stays = true;
  zygote_.start(slot_);
  implementation_ = implementation;
  if (!asking_) first_asked_ = now;
  asking_ = true;
  asked_ = now;
}

bool GpuWitness::served_since(Time since, std::uint32_t implementation, Time now,
                              milliseconds moment) {
  if (asking_) {
    const auto status = zygote_.take_ended(slot_);
    if (!status && now - first_asked_ > kLongestSilence)
      throw DeviceMissing("a GPU serves no process any more.");
    if (!status) return false;
    // A refusal is an answer too: the process that hangs may hold all memory.
    const Slot& slot = zygote_.slot(slot_);
    if (ended_well(slot, *status) || device_unusable(slot, *status)) {
      asking_ = false;
      answered_ = now;
    } else {
      ask(implementation_, now);
      return false;
    }
  }
  if (implementation == implementation_ && asked_ > since) return now - answered_ > moment;
  ask(implementation, now);
  return false;
}

bool hangs(ZygoteClient& zygote, int slot, HangWatch& watch, milliseconds timeout) {
  const auto now = std::chrono::steady_clock::now();
  if (!watch.stuck(zygote.slot(slot), zygote.child(slot), now, timeout)) return false;
  const auto gpu_of = waits_for(zygote.hello(), zygote.slot(slot));
  const milliseconds moment = std::min(kLongestMoment, timeout / 4);
  return !gpu_of || zygote.witness().served_since(watch.since(), *gpu_of, now, moment);
}

}  // namespace indexfuzz
