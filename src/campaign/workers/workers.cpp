#include "campaign/workers/workers.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "draw/draw.h"
#include "draw/environment_turns.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

// Cases of a turn if both engines share a worker.
constexpr std::uint64_t kTurn = 1 << 14;
// The corpus is run again in each turn, of which it may take no more than one part in kCorpusShare.
constexpr std::uint64_t kCorpusShare = 8;
// Cases of the first turns of a coverage engine that has the worker to itself. A turn begins with a
// new process and with the corpus of its operator, which takes time, so turns become longer; but
// each operator is to meet every environment soon and often.
constexpr std::uint64_t kCoverageTurn = 1 << 13;
constexpr std::uint64_t kMostDoublings = 5;
constexpr int kMostIdleStarts = 3;
// With plain bytes, nearly all sizes lie at the limit, where a case would take milliseconds.
constexpr std::int64_t kMostPlainElements = 1 << 12;
// More than a batch on a GPU.
constexpr std::uint64_t kFirstCases = 600;

/// How many of the plan's cases a worker runs.
std::uint64_t share(const WorkPlan& plan, std::uint32_t worker) {
  if (!plan.cases) return UINT64_MAX;
  const auto jobs = static_cast<std::uint64_t>(plan.jobs);
  return *plan.cases / jobs + (worker < *plan.cases % jobs ? 1 : 0);
}

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

std::uint64_t Workers::left(std::uint32_t worker) const {
  const Worker& state = workers_[worker];
  const std::uint64_t run = state.next[0] + state.next[1], all = share(plan_, worker);
  return all > run ? all - run : 0;
}

std::uint32_t Workers::first_on_host() const {
  return plan_.gpus_apart ? static_cast<std::uint32_t>(plan_.gpu_jobs) : 0;
}

/// Whether a worker takes turns with the two engines, since no other shares them with it.
bool Workers::alternates(std::uint32_t worker) const {
  return plan_.engines == Engines::kBoth && !is_on_gpus_alone(plan_, worker) &&
         workers_.size() - first_on_host() == 1;
}

Engine Workers::engine_of_turn(std::uint32_t worker) const {
  switch (plan_.engines) {
    case Engines::kProperty: return Engine::kProperty;
    case Engines::kCoverage:
    case Engines::kRandom: return Engine::kCoverage;
    case Engines::kBoth: {
      if (is_on_gpus_alone(plan_, worker)) return Engine::kProperty;
      const std::uint64_t turn =
          alternates(worker) ? workers_[worker].begun : worker - first_on_host();
      return turn % 2 == 0 ? Engine::kProperty : Engine::kCoverage;
    }
  }
  return Engine::kProperty;
}

void Workers::begin_turn(std::uint32_t worker) {
  Worker& state = workers_[worker];
  state.engine = engine_of_turn(worker);
  const std::uint64_t next = next_of(state);
  const bool shared = alternates(worker);
  std::uint64_t length = kTurn;
  if (state.engine == Engine::kCoverage) {
    state.coverage_turn += next == 0 ? 0 : 1;
    const auto& targets = operators_[state.coverage_turn % operators_.size()];
    const auto round =
        std::min<std::uint64_t>(state.coverage_turn / operators_.size(), kMostDoublings);
    if (!shared) length = kCoverageTurn << round;
    length = std::max(length, kCorpusShare * plan_.corpus->count(targets.front().op));
  } else {
    // A child in another environment then goes on.
    if (!is_on_gpus_alone(plan_, worker))
      length = environment_turn(worker, next, plan_.limits.gpu).end - next;
    else if (!shared)
      length = UINT64_MAX - next;
    if (shared) length = std::min(length, kTurn - next % kTurn);
  }
  state.end_case = next + std::min(length, left(worker));
  ++state.begun;
  go_on(worker);
}

/// Starts a child on what is left of the turn.
void Workers::go_on(std::uint32_t worker) {
  Worker& state = workers_[worker];
  if (stopping_ || left(worker) == 0) {
    state.state = State::kEnded;
    return;
  }
  if (next_of(state) >= state.end_case) return begin_turn(worker);
  Job& job = zygote_.slot(static_cast<int>(worker)).job;
  job = Job{};
  job.limits = plan_.limits;
  job.strict = plan_.strict;
  job.seed = plan_.seed;
  job.worker = worker;
  job.places = places_of_calls(worker);
  job.gpu_lanes = static_cast<std::uint32_t>(plan_.gpu_lanes);
  job.first_case = next_of(state);
  job.end_case = state.end_case;
  job.device_memory = plan_.device_memory;
  plan_.mps_pipe.copy(job.mps_pipe, kPipeBytes - 1);
  switch (state.engine) {
    case Engine::kProperty: fill_property_job(worker, job); break;
    case Engine::kCoverage: fill_coverage_job(worker, job); break;
  }
  zygote_.start(static_cast<int>(worker));
  state.watch.reset();
  state.state = State::kRunning;
}

Job::Places Workers::places_of_calls(std::uint32_t worker) const {
  const bool calls_gpus = static_cast<int>(worker) < plan_.gpu_jobs;
  if (!calls_gpus || workers_[worker].engine == Engine::kCoverage) return Job::Places::kHost;
  return is_on_gpus_alone(plan_, worker) ? Job::Places::kGpus : Job::Places::kAll;
}

void Workers::fill_property_job(std::uint32_t worker, Job& job) const {
  job.type = Job::Type::kCampaign;
  if (!is_on_gpus_alone(plan_, worker))
    job.environment = environment_turn(worker, job.first_case, plan_.limits.gpu).environment;
  job.target_count = static_cast<std::uint32_t>(plan_.targets.size());
  std::ranges::copy(plan_.targets, job.targets);
}

/// The operators take turns; when all have had theirs, the environment changes.
void Workers::fill_coverage_job(std::uint32_t worker, Job& job) const {
  const std::uint64_t turn = workers_[worker].coverage_turn;
  const auto& targets = operators_[turn % operators_.size()];
  job.type = Job::Type::kCoverage;
  const std::uint64_t round = turn / operators_.size();
  job.environment =
      environment_turn(worker, kPlainTurn + round * kEnvironmentTurn, false).environment;
  job.target_count = static_cast<std::uint32_t>(targets.size());
  std::ranges::copy(targets, job.targets);
  // Cases that grow by mutation would otherwise grow to the limit.
  job.limits = usual(job.limits);
  if (plan_.engines == Engines::kRandom) {
    job.plain_bytes = 1;
    job.limits.max_elements = std::min(job.limits.max_elements, kMostPlainElements);
  }
  plan_.fuzzer_flags.copy(job.fuzzer_flags, kFuzzerFlagBytes - 1);
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
  const bool begun = state.engine == Engine::kProperty ||
                     slot.case_number.load() > slot.job.first_case ||
                     find_case(slot.ring, slot.job.first_case) != nullptr;
  if (status && !begun && !stopping_) {
    // libFuzzer itself has ended, as it does for a flag that it cannot take.
    if (++state.idle_starts == kMostIdleStarts) {
      throw SetupError(fmt::format("libFuzzer ended before its first case, with the flags: {}",
                                   plan_.fuzzer_flags.empty() ? "none.\n" : plan_.fuzzer_flags));
    }
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
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    zygote_.kill(static_cast<int>(w));
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
        zygote_.slot(index).takes_longer.load() != 0)
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
    if (workers_[w].state == State::kRunning && slot.takes_longer.load() != 0 &&
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
