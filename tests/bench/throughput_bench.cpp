// Cases per second of the property engine on one core, beside the bare boxed ATen calls of the very
// same cases, per operator and over all of them.
//
//   build/indexfuzz_bench
//
// `cases/s` counts judged cases of the campaign's own loop: drawn, laid out in guarded memory, run,
// judged. `bare_ns` is the boxed call alone, operands wrapped and pushed beforehand, `refusals_ns`
// the share of it in calls that were refused by an exception; `ratio` = whole / bare. Where
// processes die of illegal calls, which happens in PyTorch itself, legal ones alone are measured,
// and kEndedByManyIllegalCalls are not among all; kEndedByLegalCalls are not measured.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign_setting.h"
#include "draw/environment_turns.h"
#include "memory/arena.h"
#include "ops/definition/operator.h"
#include "run/session/jobs.h"
#include "run/session/runnable.h"
#include "run/session/session.h"
#include "run/shared/answer_of_child.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kCases = 50'000;
static_assert(kCases <= kEnvironmentTurn);
constexpr std::array<std::string_view, 23> kEndedByLegalCalls{"cummax",
                                                              "cummin",
                                                              "col2im",
                                                              "im2col",
                                                              "embedding_bag",
                                                              "adaptive_max_pool3d_backward",
                                                              "fractional_max_pool2d_backward",
                                                              "fractional_max_pool3d_backward",
                                                              "max_pool3d_with_indices_backward",
                                                              "max_pool3d_with_indices",
                                                              "tril",
                                                              "triu",
                                                              "reflection_pad2d",
                                                              "reflection_pad3d",
                                                              "replication_pad2d",
                                                              "replication_pad3d",
                                                              "reflection_pad2d_backward",
                                                              "reflection_pad3d_backward",
                                                              "replication_pad2d_backward",
                                                              "replication_pad3d_backward",
                                                              "max_unpool2d",
                                                              "segment_reduce",
                                                              "narrow_copy"};
constexpr std::array<std::string_view, 6> kEndedByManyIllegalCalls{
    "unfold_backward",          "adaptive_max_pool2d_backward", "max_pool2d_with_indices_backward",
    "embedding_dense_backward", "reflection_pad1d_backward",    "replication_pad1d_backward"};
constexpr int kTurnsBefore = 4;
constexpr int kMostDeaths = 20;

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
    Placement placement = placement_in(*session.arena);
    placement.operands = session.arena->lay_apart();
    if (placement.operands.empty() || !session.executor.set_up(*plan, placement)) continue;
    const auto start = std::chrono::steady_clock::now();
    session.executor.call(*plan, session.observation);
    const double seconds = seconds_since(start) - overhead;
    bare.seconds += seconds;
    if (session.observation.outcome != Outcome::kReturned) bare.refused_seconds += seconds;
    session.executor.release();
    session.arena->bring_back(session.observation);
  }
  return bare;
}

/// What one turn of cases took.
struct Turn {
  double whole_seconds = 0;
  double cpu_seconds = 0;
  Bare bare;
  std::uint64_t judged = 0;
};

/// A turn in a process that has run others before: its first cases tell which dtypes are supported,
/// and how its caches grow, which it looks into as it would into leaks.
Turn measure_turn(CampaignSetting& s) {
  Session session(s.implementations, *s.memory, *s.slot);
  Job& job = s.slot->job;
  for (int turn = 0; turn < kTurnsBefore; ++turn) {
    job.seed = next_seed + turn;
    run_campaign(session);
  }
  job.seed = next_seed + kTurnsBefore;
  Turn turn;
  const std::uint64_t before = s.judged();
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  run_campaign(session);
  turn.cpu_seconds = cpu_seconds() - cpu_start;
  turn.whole_seconds = seconds_since(start);
  turn.judged = s.judged() - before;
  turn.bare = bare_calls(session, clock_overhead());
  return turn;
}

/// A turn in a process of its own, since PyTorch's own operators die of some calls: then of other
/// cases, and at last of legal ones alone.
std::optional<Turn> turn_that_lives(CampaignSetting& s, int& deaths) {
  for (; deaths < kMostDeaths; ++deaths) {
    s.slot->job.limits.illegal = deaths < kMostDeaths / 2;
    const std::optional<Turn> turn = answer_of_child([&s] { return measure_turn(s); });
    next_seed += kTurnsBefore + 1;
    if (turn) return turn;
  }
  return std::nullopt;
}

void throughput(benchmark::State& state, const std::vector<const OperatorInfo*>& rows) {
  CampaignSetting& s = *setting;
  s.aim_at(rows);
  Job& job = s.slot->job;
  job.limits.gpu = false;
  job.first_case = kPlainTurn;
  job.end_case = kPlainTurn + kCases;
  Turn all;
  std::uint64_t count = 0;
  int deaths = 0;
  for (auto _ : state) {
    const std::optional<Turn> turn = turn_that_lives(s, deaths);
    if (!turn) {
      state.SkipWithError("PyTorch ended the process each time");
      return;
    }
    state.SetIterationTime(turn->whole_seconds);
    all.whole_seconds += turn->whole_seconds;
    all.cpu_seconds += turn->cpu_seconds;
    all.bare.seconds += turn->bare.seconds;
    all.bare.refused_seconds += turn->bare.refused_seconds;
    all.judged += turn->judged;
    count += kCases;
  }
  if (!job.limits.illegal) state.SetLabel("legal calls alone");
  const auto ns = [&](double seconds) { return seconds / static_cast<double>(count) * 1e9; };
  state.counters["cases/s"] = static_cast<double>(all.judged) / all.whole_seconds;
  state.counters["whole_ns"] = ns(all.whole_seconds);
  state.counters["cpu_ns"] = ns(all.cpu_seconds);
  state.counters["bare_ns"] = ns(all.bare.seconds);
  state.counters["refusals_ns"] = ns(all.bare.refused_seconds);
  state.counters["ratio"] = all.whole_seconds / all.bare.seconds;
}

}  // namespace
}  // namespace indexfuzz

int main(int argc, char** argv) {
  using namespace indexfuzz;
  std::vector<const OperatorInfo*> all(operators().begin(), operators().end());
  const auto leave_out = [&all](const auto& names) {
    std::erase_if(all, [&names](const OperatorInfo* row) {
      return std::ranges::find(names, row->name) != names.end();
    });
  };
  leave_out(kEndedByLegalCalls);
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
  leave_out(kEndedByManyIllegalCalls);
  benchmark::RegisterBenchmark("all", throughput, all)
      ->UseManualTime()
      ->Iterations(8)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  setting.reset();
}
