#include "campaign/workers.h"

#include <algorithm>

#include "draw/draw.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

/// How many of the cases are a worker's.
std::uint64_t share(const WorkPlan& plan, std::uint32_t worker) {
  if (!plan.cases) return UINT64_MAX;
  const auto jobs = static_cast<std::uint64_t>(plan.jobs);
  return *plan.cases / jobs + (worker < *plan.cases % jobs ? 1 : 0);
}

std::size_t place_of(const Case& c) {
  const auto all = operators();
  return static_cast<std::size_t>(std::ranges::find(all, &operator_of(c)) - all.begin());
}

}  // namespace

Case drawn_case(const WorkPlan& plan, std::uint32_t worker, std::uint64_t number) {
  Case c;
  draw_case(plan.seed, worker, number, plan.targets, plan.limits, c);
  if (Case applied = c; c.breaks != 0 && !apply_rule(applied)) c.breaks = 0;
  return c;
}

Workers::Workers(ZygoteClient& zygote, WorkPlan plan)
    : zygote_(zygote), plan_(std::move(plan)), workers_(static_cast<std::size_t>(plan_.jobs)) {}

void Workers::start() {
  for (std::uint32_t w = 0; w < workers_.size(); ++w) start(w, 0);
}

void Workers::start(std::uint32_t worker, std::uint64_t first_case) {
  Worker& state = workers_[worker];
  const std::uint64_t end = share(plan_, worker);
  if (stopping_ || first_case >= end) {
    state.state = State::kEnded;
    return;
  }
  Job& job = zygote_.slot(static_cast<int>(worker)).job;
  job = Job{};
  job.type = Job::Type::kCampaign;
  job.limits = plan_.limits;
  job.strict = plan_.strict;
  job.seed = plan_.seed;
  job.worker = worker;
  job.first_case = first_case;
  // A worker of another environment goes on.
  job.end_case = std::min(end, (first_case / kEnvironmentTurn + 1) * kEnvironmentTurn);
  job.environment = environment_of(worker, first_case);
  job.target_count = static_cast<std::uint32_t>(plan_.targets.size());
  std::copy(plan_.targets.begin(), plan_.targets.end(), job.targets);
  zygote_.start(static_cast<int>(worker));
  state.watch.reset();
  state.state = State::kRunning;
}

std::vector<Suspect> Workers::poll() {
  std::vector<Suspect> suspects;
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    if (workers_[w].state != State::kRunning) continue;
    if (auto suspect = look_at(w)) suspects.push_back(*suspect);
  }
  return suspects;
}

std::optional<Suspect> Workers::look_at(std::uint32_t worker) {
  Worker& state = workers_[worker];
  const int index = static_cast<int>(worker);
  Slot& slot = zygote_.slot(index);
  if (const auto status = zygote_.take_ended(index)) {
    // Once is no fault of the case's.
    if (zygote_.was_lost(index) && state.lost_at != slot.case_number.load()) {
      state.lost_at = slot.case_number.load();
      start(worker, *state.lost_at);
      return std::nullopt;
    }
    if (!ended_well(slot, *status)) return death(worker, status);
    start(worker, slot.case_number.load());
    return std::nullopt;
  }
  if (slot.waiting.load(std::memory_order_acquire) != 0) {
    state.state = State::kWaiting;
    const Report& report = slot.pending;
    Suspect failing = suspect(worker, report.case_number);
    failing.implementation = report.implementation;
    failing.verdict = report.verdict;
    return failing;
  }
  if (state.watch.stuck(slot, std::chrono::steady_clock::now(), plan_.timeout)) {
    zygote_.kill(index);
    zygote_.take_ended(index);
    return death(worker, std::nullopt);
  }
  return std::nullopt;
}

Suspect Workers::suspect(std::uint32_t worker, std::uint64_t number) const {
  const std::uint64_t first = zygote_.slot(static_cast<int>(worker)).job.first_case;
  const auto before = [this, worker, first, number] {
    std::vector<Case> cases;
    const std::uint64_t begin = number - std::min<std::uint64_t>(number - first, kMaxLead);
    for (std::uint64_t i = begin; i < number; ++i) cases.push_back(drawn_case(plan_, worker, i));
    return cases;
  };
  return {drawn_case(plan_, worker, number), worker, number, 0, {}, before};
}

Suspect Workers::death(std::uint32_t worker, std::optional<int> status) {
  ++deaths_;
  workers_[worker].state = State::kDead;
  Slot& slot = zygote_.slot(static_cast<int>(worker));
  const std::uint64_t number = slot.case_number.load();
  const std::uint32_t implementation = slot.implementation.load();
  Suspect dead = suspect(worker, number);
  Case& c = dead.c;
  if (slot.legal_base.load() != 0) c.breaks = 0;
  // The child could not count it any more.
  if (implementation < kMaxImplementations) slot.tallies[implementation][place_of(c)].findings += 1;
  dead.implementation = implementation;
  dead.verdict = status ? verdict_of_death(c, slot, *status) : verdict_of_hang(plan_.timeout);
  if (const std::uint64_t end = slot.batch_end.load(); end != 0) {
    dead.case_number = slot.batch_first.load();
    dead.batch_end = end;
  }
  return dead;
}

void Workers::resume(std::uint32_t worker, std::uint64_t next) {
  Worker& state = workers_[worker];
  Slot& slot = zygote_.slot(static_cast<int>(worker));
  if (state.state == State::kWaiting) {
    state.watch.reset();
    state.state = State::kRunning;
    slot.waiting.store(0, std::memory_order_release);
  } else if (state.state == State::kDead) {
    start(worker, next);
  }
}

void Workers::stop() {
  stopping_ = true;
  for (std::uint32_t w = 0; w < workers_.size(); ++w) zygote_.slot(static_cast<int>(w)).stop = 1;
}

void Workers::kill() {
  stopping_ = true;
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    zygote_.kill(static_cast<int>(w));
    workers_[w].state = State::kEnded;
  }
}

bool Workers::all_ended() const {
  return std::ranges::all_of(workers_, [](const Worker& w) { return w.state == State::kEnded; });
}

}  // namespace indexfuzz
