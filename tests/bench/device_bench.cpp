// Cases per second of one worker on a GPU, beside the bare boxed ATen calls of the very same cases,
// and where the time goes, per operator.
//
//   indexfuzz_device_bench [CASES [OPERATOR...]]
//
// `cases/s` counts judged cases of the campaign's own loop. All other times are microseconds a
// call: `bare`, the boxed call alone on one thread (of the host: launches, no waiting but the
// call's own), and the share of it in calls that were `refused` by an exception; those of the
// process, one after another (`wait` for cases, `place`, `call` on as many threads as a campaign
// has, `check`, `judge`, and the `rest` of the loop); and of the threads that draw and lay out,
// together
// (`prepare`). `fetched` calls of a hundred came
// back to the host's judge; `copies` and `syncs` are of 256 calls. An operator with a * is measured
// with legal cases only, since an illegal one ended the process.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "campaign/workers/work_plan.h"
#include "campaign_setting.h"
#include "draw/environment_turns.h"
#include "ops/definition/operator.h"
#include "run/gpu/device_batch.h"
#include "run/gpu/device_library.h"
#include "run/gpu/prepared_batch.h"
#include "run/session/jobs.h"
#include "run/shared/cuda_driver.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

/// They wait for the GPU themselves, to learn how large their result is.
constexpr std::string_view kSynchronizing[] = {"index", "masked_select", "nonzero",
                                               "masked_scatter", "index_put"};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void require(const DeviceError& error) {
  if (error.code == 0) return;
  fmt::print(stderr, "indexfuzz_device_bench: {}\n", error.text);
  std::exit(1);
}

struct Bare {
  double seconds = 0;          ///< in all calls
  double refused_seconds = 0;  ///< in those that were refused
  std::uint64_t calls = 0;
};

/// Times the boxed calls of cases that were prepared.
void time_calls(Session& session, const PreparedBatch& prepared, Bare& bare) {
  Device& device = *session.devices[0];
  std::vector<DeviceCall> calls;
  calls.reserve(prepared.count);
  device.begin(prepared.stagings.front()->begin(), {}, {std::chrono::microseconds(200), false}, 1);
  session.host_operands.clear();
  for (const PreparedCase& c : std::span(prepared.cases).first(prepared.count)) {
    const Plan* const plan = plans_for(session, c.named())[0];
    if (plan == nullptr || session.support[0].should_skip(c.key) || c.is_fatal || c.is_too_large ||
        c.staging != 0)
      continue;
    DeviceCall& call = calls.emplace_back();
    call.laid = &c.applied;
    call.applied = call.named = c.applied.c;
    call.plan = plan;
    if (!lay_out(device, session.host_operands, call)) calls.pop_back();
  }
  require(device.upload(Waits::kStreams));
  for (DeviceCall& call : calls) {
    const Placement placement{*call.laid->c,
                              {call.operands.data(), call.operands.size()},
                              call.laid->out_fits,
                              c10::Device(c10::DeviceType::CUDA, 0),
                              device.allocator()};
    if (!session.executor.set_up(*call.plan, placement)) continue;
    device.before_call(0, static_cast<int>(&call - calls.data()), call.first_block, call.end_block);
    const auto start = std::chrono::steady_clock::now();
    session.executor.call(*call.plan, session.observation);
    const double seconds = seconds_since(start);
    bare.seconds += seconds;
    device.after_call(0, -1);
    if (session.observation.outcome != Outcome::kReturned) bare.refused_seconds += seconds;
    ++bare.calls;
    call.result = session.executor.result();
    session.executor.release();
  }
  device.take_error();
  require(device.finish());
}

/// The boxed calls of the job's cases, one batch after another.
Bare bare_calls(Session& session, std::uint64_t cases) {
  const Job& job = session.slot.job;
  PreparedBatch prepared;
  Bare bare;
  for (std::uint64_t first = job.first_case; first < job.first_case + cases; first += kBatch) {
    prepare_batch(job, first, first + kBatch, {}, *session.arena, prepared);
    time_calls(session, prepared, bare);
  }
  session.devices[0]->unpin();
  return bare;
}

double run_seconds(Session& session, std::uint64_t first, std::uint64_t cases) {
  Job& job = session.slot.job;
  job.first_case = first;
  job.end_case = first + cases;
  const auto start = std::chrono::steady_clock::now();
  run_campaign(session);
  return seconds_since(start);
}

/// Prints an operator's line; its judged cases per second.
double measure(CampaignSetting& s, const OperatorInfo& row, std::uint64_t cases, bool illegal) {
  s.aim_at({&row});
  s.slot->job.limits.illegal = illegal;
  s.slot->job.seed = 7;
  s.slot->job.gpu_lanes = static_cast<std::uint32_t>(gpu_lanes(1, 0));
  Session session(s.implementations, *s.memory, *s.slot);
  // Loads the kernels of these very cases, which takes up to a second for one of them, and learns
  // which dtypes are supported.
  run_seconds(session, 0, cases);
  Device& device = *session.devices[0];
  session.device_times = {};
  const std::uint64_t before = s.judged();
  const DeviceCounts counts = device.counts();
  const double seconds = run_seconds(session, 0, cases);
  const auto judged = static_cast<double>(s.judged() - before);
  const DeviceTimes& times = session.device_times;
  const double all = times.waiting + times.placing + times.calling + times.checking + times.judging;
  const auto us = [&](double phase) { return phase / static_cast<double>(times.calls) * 1e6; };
  const auto of_256 = [&](std::uint64_t now, std::uint64_t then) {
    return 256 * static_cast<double>(now - then) / static_cast<double>(times.calls);
  };
  const Bare bare = bare_calls(session, cases / 4);
  const auto bare_us = [&](double all_calls) {
    return all_calls / static_cast<double>(bare.calls) * 1e6;
  };
  fmt::print(
      "{:<16} {:>9.0f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} "
      "{:>7.2f} {:>7.1f} {:>6.1f} {:>6.2f}\n",
      row.name, judged / seconds, bare_us(bare.seconds), bare_us(bare.refused_seconds),
      us(times.waiting), us(times.placing), us(times.calling), us(times.checking),
      us(times.judging), us(seconds - all), us(times.preparing),
      100 * static_cast<double>(times.fetched) / static_cast<double>(times.calls),
      of_256(device.counts().copies, counts.copies),
      of_256(device.counts().synchronizations, counts.synchronizations));
  std::fflush(stdout);
  return judged / seconds;
}

struct HarmonicMean {
  double reciprocals = 0;
  int count = 0;
  void add(double rate) {
    reciprocals += 1 / rate;
    ++count;
  }
  double value() const { return count == 0 ? 0 : count / reciprocals; }
};

/// Measures in a process of its own, so that no operator is slower for those before it, nor lost
/// with them; 0 where that died.
double measure_apart(const std::vector<Implementation>& implementations, const OperatorInfo& row,
                     std::uint64_t cases, bool illegal) {
  const WorkerMemory memory;
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t pid = fork();
  if (pid == 0) {
    install_guarded_allocator();
    set_global_state();
    CampaignSetting setting(implementations, memory);
    const double rate = measure(setting, row, cases, illegal);
    _exit(write(ends[1], &rate, sizeof rate) == sizeof rate ? 0 : 1);
  }
  close(ends[1]);
  double rate = 0;
  if (read(ends[0], &rate, sizeof rate) != sizeof rate) rate = 0;
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  const Slot& slot = memory.slot();
  if (rate == 0) {
    fmt::print("{:<16} its process ended (status {:#x}) in the cases [{}, {}) of seed {}: {}\n",
               row.name, status, slot.batch_first.load(), slot.batch_end.load(), slot.job.seed,
               slot.device_message);
    std::fflush(stdout);
  }
  return rate;
}

int run(std::uint64_t cases, std::vector<const OperatorInfo*> rows) {
  std::string why;
  const int gpus = static_cast<int>(visible_devices(why).size());
  if (gpus > 0) why = load_device_library();
  if (!why.empty()) {
    fmt::print("skipped: {}\n", why);
    return 0;
  }
  const std::string aten = "aten:cuda";
  Resolved resolved = resolve(std::span(&aten, 1), rows, gpus);
  if (!resolved.error.empty()) {
    fmt::print(stderr, "indexfuzz_device_bench: {}\n", resolved.error);
    return 1;
  }
  fmt::print(
      "{:<16} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6}\n", "",
      "cases/s", "bare", "refused", "wait", "place", "call", "check", "judge", "rest", "prepare",
      "fetched", "copies", "syncs");
  std::fflush(stdout);
  HarmonicMean plain, synchronizing;
  for (const OperatorInfo* row : rows) {
    const bool synchronizes =
        std::ranges::find(kSynchronizing, row->name) != std::end(kSynchronizing);
    double rate = measure_apart(resolved.implementations, *row, cases, true);
    if (rate == 0) rate = measure_apart(resolved.implementations, *row, cases, false);
    if (rate > 0) (synchronizes ? synchronizing : plain).add(rate);
  }
  fmt::print(
      "\nharmonic means: {:.0f} cases/s over the {} that do not synchronize by themselves, "
      "{:.0f} over the {} that do; calls by {} threads\n",
      plain.value(), plain.count, synchronizing.value(), synchronizing.count, gpu_lanes(1, 0));
  return 0;
}

}  // namespace
}  // namespace indexfuzz

int main(int argc, char** argv) {
  using namespace indexfuzz;
  const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 40'000;
  std::vector<const OperatorInfo*> rows;
  for (int i = 2; i < argc; ++i) {
    const OperatorInfo* const row = find_operator(std::string_view(argv[i]));
    if (row != nullptr) rows.push_back(row);
  }
  if (cases == 0 || cases > kEnvironmentTurn / 2 ||
      rows.size() + 2 < static_cast<std::size_t>(argc)) {
    fmt::print(stderr, "usage: indexfuzz_device_bench [CASES [OPERATOR...]], at most {} cases\n",
               kEnvironmentTurn / 2);
    return 1;
  }
  if (rows.empty()) rows.assign(operators().begin(), operators().end());
  return run(cases, rows);
}
