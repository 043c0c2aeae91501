// libFuzzer as the engine of a worker. It runs in a child like any other job: it never returns,
// keeps its corpus in memory only, and installs no signal handlers.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "case/bytes.h"
#include "case/number.h"
#include "case/strings/take_until.h"
#include "draw/input.h"
#include "run/coverage/features.h"
#include "run/coverage/input_mutator.h"
#include "run/host/host_batches.h"
#include "run/session/choose.h"
#include "run/session/jobs.h"
#include "run/session/report.h"

// Weak: null in a build without libFuzzer (has_libfuzzer).
extern "C" __attribute__((weak)) int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                                         int (*run)(const std::uint8_t* data,
                                                                    std::size_t size));

namespace indexfuzz {
namespace {

struct CoverageRun {
  explicit CoverageRun(Session& session)
      : session(session),
        mutator({session.slot.job.targets, session.slot.job.target_count}, session.slot.job.limits,
                session.slot.job.environment, &session.memory.pool, &session.slot.found),
        number(session.slot.job.first_case),
        batches(
            session,
            [&slot = session.slot](std::uint64_t wanted, Case& c) {
              const CaseRing::Record* const record = find_case(slot.ring, wanted);
              if (record != nullptr) c = case_of(*record);
              return record != nullptr;
            },
            kRingCases) {}

  Session& session;
  InputMutator mutator;
  std::uint64_t number;  ///< of the next case
  HostBatches batches;
  Case current;
  std::byte encoded[kEncodedBytes];
};

CoverageRun* run = nullptr;

/// Ends the process in the way that a campaign's job ends: checks the last batch, sets `finished`.
[[noreturn]] void end_job() {
  run->batches.end_last_batch(run->number);
  run->session.slot.case_number.store(run->number, std::memory_order_relaxed);
  run->session.slot.finished.store(1, std::memory_order_release);
  std::fflush(nullptr);
  _exit(0);
}

/// Judges one input; returns -1 if libFuzzer must not keep it.
int judge_input(const std::uint8_t* data, std::size_t size) {
  Session& session = run->session;
  const Job& job = session.slot.job;
  if (run->number >= job.end_case || session.slot.stop.load(std::memory_order_relaxed) != 0)
    end_job();
  std::span<const std::byte> input{reinterpret_cast<const std::byte*>(data), size};
  if (const Case* made = run->mutator.made(input)) {
    run->current = *made;
  } else if (!read_input(input, job.limits, run->current)) {
    count_no_case();
    return -1;
  } else {  // it may be a text
    input = {run->encoded, encode_short(run->current, run->encoded)};
  }
  run->current.environment = job.environment;
  note_case(session.slot.ring, run->number, run->mutator.pooled(), input, job.environment);
  const CallOutcomes& outcomes = run->batches.run(run->number, run->current);
  // Older libFuzzers ignore what is returned and keep every input that has features.
  const bool worth_keeping = is_worth_keeping(outcomes);
  if (worth_keeping) {
    count_features(run->current);
    count_outcomes(run->current, {outcomes.data(), outcomes.size()});
  }
  ++run->number;
  if (session.spent) end_job();
  if (run->number - run->batches.first() == kBatch) {
    run->batches.end_batch(run->number);
    if (must_end(session)) end_job();
  }
  return worth_keeping ? 0 : -1;
}

/// Our flags come last, so that they win, except -entropic=0: how inputs are chosen is up to the
/// user. Choosing by rare features costs a twentieth of the time, and reached no more blocks of
/// ATen in two minutes.
std::vector<std::string> arguments(const Job& job) {
  std::vector<std::string> all{"indexfuzz", "-entropic=0"};
  for (std::string_view flags = job.fuzzer_flags; !flags.empty();) {
    if (const std::string_view flag = take_until(flags, "\n"); !flag.empty())
      all.emplace_back(flag);
  }
  const std::uint64_t seed = hash1(job.first_case, hash1(job.worker, job.seed));
  all.push_back("-seed=" + std::to_string(1 + seed % 0x7FFFFFFF));
  all.push_back("-max_len=" + std::to_string(kEncodedBytes));
  for (const char* flag : {"-verbosity=0",
                           "-timeout=0",
                           "-rss_limit_mb=0",
                           "-malloc_limit_mb=0",
                           "-detect_leaks=0",
                           "-len_control=0",
                           "-reduce_inputs=0",
                           "-reload=0",
                           "-report_slow_units=1000000",
                           "-purge_allocator_interval=-1",
                           "-exact_artifact_path=/dev/null",
                           "-handle_segv=0",
                           "-handle_bus=0",
                           "-handle_abrt=0",
                           "-handle_ill=0",
                           "-handle_fpe=0",
                           "-handle_int=0",
                           "-handle_term=0",
                           "-handle_xfsz=0",
                           "-handle_usr1=0",
                           "-handle_usr2=0"})
    all.emplace_back(flag);
  return all;
}

}  // namespace

bool has_libfuzzer() {
  return LLVMFuzzerRunDriver != nullptr;
}

void run_coverage(Session& session) {
  if (!has_libfuzzer() || session.slot.job.target_count == 0) return;
  CoverageRun coverage(session);
  run = &coverage;
  if (session.slot.job.plain_bytes) coverage.mutator.change_plain_bytes();
  coverage.mutator.ask_who_takes([&session](const Case& c) { return who_takes(session, c); });
  mutate_inputs_with(coverage.mutator);
  std::vector<std::string> all = arguments(session.slot.job);
  std::vector<char*> pointers;
  for (std::string& argument : all) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int argc = static_cast<int>(all.size());
  char** argv = pointers.data();
  LLVMFuzzerRunDriver(&argc, &argv, &judge_input);
}

}  // namespace indexfuzz
