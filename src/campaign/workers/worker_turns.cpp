// The turns of workers: which engine they run, in which environment, on which side, and for how
// long.

#include <algorithm>

#include "campaign/workers/coverage_turn.h"
#include "campaign/workers/workers.h"
#include "draw/environment_turns.h"

namespace indexfuzz {
namespace {

// Cases of a turn if both engines share a worker.
constexpr std::uint64_t kTurn = 1 << 14;
// The corpus is run again in each turn, of which it may take no more than one part in kCorpusShare.
constexpr std::uint64_t kCorpusShare = 8;
// With plain bytes, nearly all sizes lie at the limit, where a case would take milliseconds.
constexpr std::int64_t kMostPlainElements = 1 << 12;

/// How many of the plan's cases a worker runs.
std::uint64_t share(const WorkPlan& plan, std::uint32_t worker) {
  if (!plan.cases) return UINT64_MAX;
  const auto jobs = static_cast<std::uint64_t>(plan.jobs);
  return *plan.cases / jobs + (worker < *plan.cases % jobs ? 1 : 0);
}

}  // namespace

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
    const CoverageTurn turn = coverage_turn(worker, state.coverage_turn, operators_.size());
    if (!shared) length = turn.cases;
    length = std::max(length, kCorpusShare * plan_.corpus->count(operators_[turn.op].front().op));
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
    job.environment = within(environment_turn(worker, job.first_case, plan_.limits.gpu).environment,
                             plan_.limits);
  job.target_count = static_cast<std::uint32_t>(plan_.targets.size());
  std::ranges::copy(plan_.targets, job.targets);
}

void Workers::fill_coverage_job(std::uint32_t worker, Job& job) const {
  const CoverageTurn turn =
      coverage_turn(worker, workers_[worker].coverage_turn, operators_.size());
  const auto& targets = operators_[turn.op];
  job.type = Job::Type::kCoverage;
  job.environment = within(turn.environment, plan_.limits);
  job.target_count = static_cast<std::uint32_t>(targets.size());
  std::ranges::copy(targets, job.targets);
  // Cases that grow by mutation would otherwise grow to the limit.
  job.limits = usual(job.limits);
  if (plan_.engines == Engines::kRandom) {
    job.plain_bytes = true;
    job.limits.max_elements = std::min(job.limits.max_elements, kMostPlainElements);
  }
  plan_.fuzzer_flags.copy(job.fuzzer_flags, kFuzzerFlagBytes - 1);
}

}  // namespace indexfuzz
