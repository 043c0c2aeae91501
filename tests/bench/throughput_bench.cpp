// Cases per second of the property engine on one core, beside the bare boxed ATen calls of the very
// same cases, per operator and over all of them.
//
//   build/indexfuzz_bench
//
// `cases/s` counts judged cases of the campaign's own loop: drawn, laid out in guarded memory, run,
// judged. `bare_ns` is the boxed call alone, operands wrapped and pushed beforehand, `refusals_ns`
// the share of it in calls that were refused by an exception; `ratio` = whole / bare. Operators
// whose illegal calls may end the process in PyTorch itself run legal ones alone, and are not among
// all.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "campaign_setting.h"
#include "memory/arena.h"
#include "ops/operator.h"
#include "run/jobs.h"
#include "run/session.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kCases = 50'000;
static_assert(kCases <= kEnvironmentTurn);
constexpr int kTurnsBefore = 4;

std::unique_ptr<CampaignSetting> setting;
std::uint64_t next_seed = 7;

/// Time on the processor, which other programs do not lengthen.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What reading the clock twice costs.
double clock_overhead() {
  double least = 1;
  for (int i = 0; i < 10'000; ++i) {
    const auto start = std::chrono::steady_clock::now();
    least = std::min(least, seconds_since(start));
  }
  return least;
}

/// Time in the bare boxed calls of the job's cases: those calls that the campaign makes.
struct Bare {
  double seconds = 0;          ///< in all calls
  double refused_seconds = 0;  ///< in those that were refused
};
Bare bare_calls(Session& session, double overhead) {
  const Job& job = session.slot.job;
  Case drawn;
  RunnableCase runnable;
  Bare bare;
  for (std::uint64_t number = job.first_case; number < job.end_case; ++number) {
    draw_case(job.seed, job.worker, number, {job.targets, job.target_count}, job.limits, drawn);
    if (session.support[0].should_skip(support_key(drawn))) continue;
    make_runnable(drawn, runnable);
    session.arena->prepare(runnable.applied);
    const Plan* plan = plans_for(session, drawn)[0];
    if (!session.executor.set_up(*plan, placement_in(*session.arena))) continue;
    const auto start = std::chrono::steady_clock::now();
    session.executor.call(*plan, session.observation);
    const double seconds = seconds_since(start) - overhead;
    bare.seconds += seconds;
    if (session.observation.outcome != Outcome::kReturned) bare.refused_seconds += seconds;
    session.executor.release();
  }
  return bare;
}

bool may_end_process(const OperatorInfo* row) {
  return row->name == "embedding_bag" || row->name == "embedding_dense_backward";
}

void throughput(benchmark::State& state, const std::vector<const OperatorInfo*>& rows) {
  CampaignSetting& s = *setting;
  s.aim_at(rows);
  Session session(s.implementations, *s.memory, *s.slot);
  Job& job = s.slot->job;
  job.limits.gpu = false;
  job.limits.illegal = std::ranges::none_of(rows, may_end_process);
  const double overhead = clock_overhead();
  double whole = 0, cpu = 0, bare = 0, refused = 0;
  std::uint64_t cases = 0, count = 0;
  job.first_case = kPlainTurn;
  job.end_case = kPlainTurn + kCases;
  // The first cases of a process tell which dtypes are supported, and how its caches grow, which it
  // looks into as it would into leaks.
  for (int turn = 0; turn < kTurnsBefore; ++turn) {
    job.seed = next_seed++;
    run_campaign(session);
  }
  for (auto _ : state) {
    job.seed = next_seed++;
    const std::uint64_t before = s.judged();
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = cpu_seconds();
    run_campaign(session);
    cpu += cpu_seconds() - cpu_start;
    const double seconds = seconds_since(start);
    state.SetIterationTime(seconds);
    whole += seconds;
    cases += s.judged() - before;
    count += kCases;
    const Bare calls = bare_calls(session, overhead);
    bare += calls.seconds;
    refused += calls.refused_seconds;
  }
  state.counters["cases/s"] = static_cast<double>(cases) / whole;
  state.counters["whole_ns"] = whole / static_cast<double>(count) * 1e9;
  state.counters["cpu_ns"] = cpu / static_cast<double>(count) * 1e9;
  state.counters["bare_ns"] = bare / static_cast<double>(count) * 1e9;
  state.counters["refusals_ns"] = refused / static_cast<double>(count) * 1e9;
  state.counters["ratio"] = whole / bare;
}

}  // namespace
}  // namespace indexfuzz

int main(int argc, char** argv) {
  using namespace indexfuzz;
  std::vector<const OperatorInfo*> all(operators().begin(), operators().end());
  const std::string aten = "aten:cpu";
  Resolved resolved = resolve(std::span(&aten, 1), all);
  if (!resolved.error.empty()) {
    std::fprintf(stderr, "indexfuzz_bench: %s\n", resolved.error.c_str());
    return 1;
  }
  install_guarded_allocator();
  set_global_state();
  const WorkerMemory memory;
  setting = std::make_unique<CampaignSetting>(std::move(resolved.implementations), memory);
  for (const OperatorInfo* row : all) {
    benchmark::RegisterBenchmark(std::string(row->name).c_str(), throughput, std::vector{row})
        ->UseManualTime()
        ->Iterations(4)
        ->Unit(benchmark::kMillisecond);
  }
  std::erase_if(all, may_end_process);
  benchmark::RegisterBenchmark("all", throughput, all)
      ->UseManualTime()
      ->Iterations(8)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  setting.reset();
}
