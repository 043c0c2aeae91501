#include "campaign/workers/workers.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <numeric>

#include "campaign/failure.h"
#include "draw/draw.h"
#include "ops/definition/illegal_rule.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

constexpr int kMostIdleStarts = 3;
// More than a batch on a GPU.
constexpr std::uint64_t kFirstCases = 600;

/// A case as the worker judges it: without a rule that does not apply to it.
Case as_named(Case c) {
  if (Case applied = c; c.breaks != 0 && !apply_rule(applied)) c.breaks = 0;
  return c;
}

std::vector<std::vector<Target>> by_operator(const std::vector<Target>& targets) {
  std::vector<std::vector<Target>> groups;
  for (const Target& target : targets) {
    if (groups.empty() || groups.back().front().op != target.op) groups.emplace_back();
    groups.back().push_back(target);
  }
  return groups;
}

/// Whether a job of the coverage engine has come to a case.
bool has_run_a_case(const Slot& slot) {
  return slot.case_number.load() > slot.job.first_case ||
         find_case(slot.ring, slot.job.first_case) != nullptr;
}

/// libFuzzer itself ended, as it does for a flag that it cannot take. `flags`: each ended by a
/// newline.
[[noreturn]] void throw_idle(std::string flags) {
  if (flags.empty()) throw SetupError("libFuzzer ended before its first case.");
  flags.pop_back();
  std::ranges::replace(flags, '\n', ' ');
  throw SetupError(fmt::format(
      "libFuzzer ended before its first case; leave out the flag that it cannot take: {}", flags));
}

}  // namespace

bool is_on_gpus_alone(const WorkPlan& plan, std::uint32_t worker) {
  return plan.gpus_apart && static_cast<int>(worker) < plan.gpu_jobs;
}

Case drawn_case(const WorkPlan& plan, std::uint32_t worker, std::uint64_t number) {
  Case c;
  draw_case(plan.seed, worker, number, plan.targets, plan.limits, c);
  if (is_on_gpus_alone(plan, worker)) c.environment = {};
  return as_named(std::move(c));
}

Workers::Workers(ZygoteClient& zygote, WorkPlan plan)
    : zygote_(zygote),
      plan_(std::move(plan)),
      operators_(by_operator(plan_.targets)),
      workers_(static_cast<std::size_t>(plan_.jobs)) {}

void Workers::start() {
  stopping_ = false;
  for (std::uint32_t w = 0; w < workers_.size(); ++w) begin_turn(w);
}

std::vector<Suspect> Workers::poll() {
  std::vector<Suspect> suspects;
  const auto now = std::chrono::steady_clock::now();
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    if (workers_[w].state == State::kLater && !workers_[w].gpu.waits(now)) go_on(w);
    if (workers_[w].state != State::kRunning) continue;
    if (auto suspect = look_at(w)) suspects.push_back(*suspect);
  }
  const bool faulted =
      std::ranges::any_of(suspects, [](const Suspect& s) { return s.batch_end > 0; });
  if (faulted && !plan_.mps_pipe.empty()) end_clients(suspects);
  return suspects;
}

std::optional<Suspect> Workers::look_at(std::uint32_t worker) {
  Worker& state = workers_[worker];
  const int index = static_cast<int>(worker);
  Slot& slot = zygote_.slot(index);
  const auto status = zygote_.take_ended(index);
  // A child that is lost once, as with its zygote, is not the fault of the case under way.
  if (status && zygote_.was_lost(index) && state.lost_at != slot.case_number.load()) {
    state.lost_at = slot.case_number.load();
    next_of(state) = *state.lost_at;
    go_on(worker);
    return std::nullopt;
  }
  if (status && device_unusable(slot, *status)) {
    try_later(worker);
    return std::nullopt;
  }
  const bool begun = state.engine == Engine::kProperty || has_run_a_case(slot);
  // What a signal ended says nothing of the flags.
  const bool idle = status && !begun && WIFEXITED(*status) && slot.signal.load() == 0;
  if (idle && !stopping_) {
    if (++state.idle_starts == kMostIdleStarts) throw_idle(plan_.fuzzer_flags);
    go_on(worker);
    return std::nullopt;
  }
  if (begun) state.idle_starts = 0;
  if (status) {
    if (!ended_well(slot, *status)) return death(worker, status);
    state.gpu.succeeded();
    next_of(state) = slot.case_number.load();
    go_on(worker);
    return std::nullopt;
  }
  if (slot.waiting.load(std::memory_order_acquire) != 0) {
    state.state = State::kWaiting;
    return reported(worker);
  }
  if (hangs(zygote_, index, state.watch, plan_.timeout)) {
    zygote_.kill(index);
    zygote_.take_ended(index);
    return death(worker, std::nullopt);
  }
  return std::nullopt;
}

/// The failure that the worker reported last.
Suspect Workers::reported(std::uint32_t worker) {
  const Report& report = zygote_.slot(static_cast<int>(worker)).pending;
  Suspect failing = suspect(worker, report.case_number);
  failing.implementation = report.implementation;
  failing.verdict = sound(report.verdict, failing.c.operands.size());
  return failing;
}

Suspect Workers::suspect(std::uint32_t worker, std::uint64_t number) {
  const std::uint64_t first = zygote_.slot(static_cast<int>(worker)).job.first_case;
  // When `before` is called, the worker may have gone on to a turn of the other engine.
  const Engine engine = workers_[worker].engine;
  const auto before = [this, worker, engine, first, number] {
    std::vector<Case> cases;
    const std::uint64_t held = engine == Engine::kCoverage ? kRingCases : kMaxLead;
    const std::uint64_t begin = number - std::min<std::uint64_t>({number - first, kMaxLead, held});
    for (std::uint64_t i = begin; i < number; ++i) {
      if (auto c = case_of(worker, engine, i)) cases.push_back(std::move(*c));
    }
    return cases;
  };
  auto failing = case_of(worker, engine, number);
  if (!failing) {
    // The process died before the case was in the ring. Another case stands in for it, which does
    // not fail and so becomes an unconfirmed failure.
    failing.emplace();
    repair(*failing, plan_.limits);
  }
  return {std::move(*failing), engine, worker, number, 0, 0, {}, before};
}

/// A case that the worker has run, or was running when it died. Of the coverage engine's cases,
/// only the latest are known: those in the slot's ring.
std::optional<Case> Workers::case_of(std::uint32_t worker, Engine engine, std::uint64_t number) {
  if (engine == Engine::kProperty) return drawn_case(plan_, worker, number);
  const CaseRing::Record* record = find_case(zygote_.slot(static_cast<int>(worker)).ring, number);
  if (record == nullptr) return std::nullopt;
  Case c = indexfuzz::case_of(*record);
  repair(c, plan_.limits);
  return as_named(std::move(c));
}

void Workers::resume(std::uint32_t worker, std::uint64_t next) {
  Worker& state = workers_[worker];
  Slot& slot = zygote_.slot(static_cast<int>(worker));
  if (state.state == State::kWaiting) {
    state.watch.reset();
    state.state = State::kRunning;
    slot.waiting.store(0, std::memory_order_release);
  } else if (state.state == State::kDead) {
    next_of(state) = next;
    go_on(worker);
  }
}

void Workers::stop() {
  stopping_ = true;
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    zygote_.slot(static_cast<int>(w)).stop = 1;
    if (workers_[w].state == State::kLater) go_on(w);
  }
}

void Workers::kill() {
  stopping_ = true;
  std::vector<int> slots(workers_.size());
  std::iota(slots.begin(), slots.end(), 0);
  zygote_.kill(slots);
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    Worker& state = workers_[w];
    if (state.state == State::kRunning || state.state == State::kWaiting)
      next_of(state) = zygote_.slot(static_cast<int>(w)).case_number.load();
    state.state = State::kEnded;
  }
}

std::vector<Suspect> Workers::kill_hanging() {
  std::vector<Suspect> suspects;
  const auto now = std::chrono::steady_clock::now();
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    const int index = static_cast<int>(w);
    const HangWatch& watch = workers_[w].watch;
    const bool stands_still = watch.has_looked() && now - watch.since() >= plan_.timeout;
    if (workers_[w].state != State::kRunning || !stands_still ||
        zygote_.slot(index).patience.load() != 0)
      continue;
    zygote_.kill(index);
    zygote_.take_ended(index);
    suspects.push_back(death(w, std::nullopt));
  }
  kill();
  return suspects;
}

std::vector<std::uint32_t> Workers::in_first_calls() const {
  std::vector<std::uint32_t> called;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const Slot& slot = zygote_.slot(static_cast<int>(w));
    const std::uint32_t implementation = slot.implementation.load();
    if (workers_[w].state == State::kRunning && slot.patience.load() != 0 &&
        std::ranges::find(called, implementation) == called.end())
      called.push_back(implementation);
  }
  return called;
}

std::optional<Workers::LongCall> Workers::longest_call() const {
  constexpr std::chrono::seconds kLong{3};
  const auto now = std::chrono::steady_clock::now();
  std::optional<LongCall> longest;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const Worker& worker = workers_[w];
    const Slot& slot = zygote_.slot(static_cast<int>(w));
    const bool in_call = worker.state == State::kRunning && worker.watch.has_looked();
    if (!in_call || slot.calls.load(std::memory_order_relaxed) == 0) continue;
    const auto lasts = std::chrono::duration_cast<std::chrono::seconds>(now - worker.watch.since());
    if (lasts >= kLong && (!longest || lasts > longest->lasts))
      longest = LongCall{slot.implementation.load(), lasts};
  }
  return longest;
}

bool Workers::are_under_way() const {
  if (under_way_) return true;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const Slot& slot = zygote_.slot(static_cast<int>(w));
    const bool waits = workers_[w].state != State::kRunning;
    if (!waits && slot.case_number.load() < slot.job.first_case + kFirstCases) return false;
  }
  return under_way_ = true;
}

bool Workers::all_ended() const {
  return std::ranges::all_of(workers_, [](const Worker& w) { return w.state == State::kEnded; });
}

std::uint64_t Workers::cases(Engine engine) const {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const Worker& state = workers_[w];
    const bool now = state.engine == engine && state.state != State::kEnded;
    sum += now ? zygote_.slot(static_cast<int>(w)).case_number.load()
               : state.next[static_cast<int>(engine)];
  }
  return sum;
}

}  // namespace indexfuzz
