// How workers die, and which cases are suspected of it.

#include <algorithm>
#include <span>

#include "campaign/workers/workers.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

constexpr std::chrono::seconds kGrace{2};

}  // namespace

Suspect Workers::death(std::uint32_t worker, std::optional<int> status) {
  ++deaths_;
  Worker& state = workers_[worker];
  state.state = State::kDead;
  state.gpu.succeeded();
  Slot& slot = zygote_.slot(static_cast<int>(worker));
  const std::uint64_t number = slot.case_number.load();
  const std::uint32_t implementation = slot.implementation.load();
  Suspect dead = suspect(worker, number);
  Case& c = dead.c;
  if (slot.unjudged.load() == Unjudged::kLegalBase) c.breaks = 0;
  dead.implementation = implementation;
  dead.verdict = status ? verdict_of_death(c, slot, *status) : verdict_of_hang(c, plan_.timeout);
  note_batch(dead);
  next_of(state) = dead.case_number + 1;
  if (dead.batch_end == 0) count_failure(dead);
  const CaseRing::Record* record = find_case(slot.ring, number);
  if (workers_[worker].engine == Engine::kCoverage && record != nullptr && record->pooled != 0)
    zygote_.memory().pool.entries[(record->pooled - 1) % kPoolCases].deadly = 1;
  return dead;
}

/// Notes the batch if the worker was in one on a GPU: which of its cases failed is not known until
/// that is located.
void Workers::note_batch(Suspect& dead) const {
  const Slot& slot = zygote_.slot(static_cast<int>(dead.worker));
  dead.batch_end = slot.batch_end.load();
  if (dead.batch_end == 0) return;
  dead.implementation = kMaxImplementations;
  dead.case_number = slot.batch_first.load();
  const std::uint64_t count = std::min(dead.batch_end - dead.case_number, kBatch);
  for (std::uint64_t place = 0; place < count; ++place) {
    for (std::uint32_t i = 0; i < kMaxImplementations; ++i) {
      if (slot.batch_calls.holds(i, place))
        dead.batch_calls.push_back({dead.case_number + place, i});
    }
  }
}

void Workers::count_failure(const Suspect& dead) {
  if (dead.implementation >= kMaxImplementations) return;
  Slot& slot = zygote_.slot(static_cast<int>(dead.worker));
  Tally& tally = slot.tallies[dead.implementation][place_of(dead.c.op)];
  if (dead.verdict.status == Status::kRefused) {  // of a table
    tally.refused += 1;
    tally.narrowed += 1;
    zygote_.memory().slow_on_tables[dead.implementation] = 1;
  } else {
    tally.findings += 1;
  }
}

/// One client of an MPS server has broken its context and with it those of all clients, which must
/// end before the server accepts new ones. Clients that were in a batch are suspects too, after
/// those that died.
void Workers::end_clients(std::vector<Suspect>& suspects) {
  ++faults_;
  for (Suspect& suspect : suspects) {
    if (suspect.batch_end > 0) suspect.fault = faults_;
  }
  const Verdict verdict =
      std::ranges::find_if(suspects, [](const Suspect& s) { return s.batch_end > 0; })->verdict;
  // Clients meet the fault by themselves; killing one at work on the GPU may end the server.
  const auto limit = std::chrono::steady_clock::now() + kGrace;
  const auto clients = std::span(workers_).first(
      std::min(workers_.size(), static_cast<std::size_t>(plan_.gpu_jobs)));
  const auto works = [&](const Worker& state) {
    return state.state == State::kRunning &&
           zygote_.running(static_cast<int>(&state - workers_.data()));
  };
  while (std::ranges::any_of(clients, works) && std::chrono::steady_clock::now() < limit)
    zygote_.receive(std::chrono::milliseconds(5));
  std::vector<std::uint32_t> innocent;
  for (std::uint32_t w = 0; w < clients.size(); ++w) {
    Worker& state = workers_[w];
    if (state.state != State::kRunning && state.state != State::kWaiting) continue;
    const bool has_reported = state.state == State::kWaiting;
    zygote_.kill(static_cast<int>(w));
    zygote_.take_ended(static_cast<int>(w));
    state.state = State::kDead;
    const Slot& slot = zygote_.slot(static_cast<int>(w));
    if (has_reported) {  // it is resumed after what it reported
      next_of(state) = slot.pending.case_number + 1;
      continue;
    }
    if (slot.batch_end.load() == 0) {
      innocent.push_back(w);
      continue;
    }
    Suspect& other = suspects.emplace_back(suspect(w, slot.batch_first.load()));
    note_batch(other);
    next_of(state) = other.case_number + 1;
    other.verdict = verdict;
    other.fault = faults_;
  }
  for (const std::uint32_t w : innocent) resume(w, zygote_.slot(static_cast<int>(w)).case_number);
}

void Workers::try_later(std::uint32_t worker) {
  Worker& state = workers_[worker];
  const Slot& slot = zygote_.slot(static_cast<int>(worker));
  state.gpu.failed(slot, std::chrono::steady_clock::now());
  next_of(state) = slot.case_number.load();
  state.state = State::kLater;
}

}  // namespace indexfuzz
