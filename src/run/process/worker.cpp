#include "run/process/worker.h"

#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "ops/repair/repair.h"
#include "run/process/rounds.h"
#include "run/session/jobs.h"
#include "run/session/report.h"
#include "run/session/session.h"
#include "run/watch/signals.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

/// What the custom kernels promise less of than ATen; null: nothing.
const Contract* contract_of(std::span<const Implementation> implementations) {
  const auto custom = std::ranges::find(implementations, true, &Implementation::custom);
  return custom == implementations.end() ? nullptr : custom->contract;
}

/// Waits for another job and takes it; false if none will come.
bool take_another_job(Session& session) {
  while (!await_round(session.slot)) {
    if (must_end(session)) return false;
  }
  take_round(session.slot);
  return true;
}

void carry_out_job(Session& session) {
  // The supervisor's pointer means nothing here.
  session.slot.job.limits.contract = contract_of(session.implementations);
  Environment environment = session.slot.job.environment;
  repair(environment);
  set_global_state(environment);
  switch (session.slot.job.type) {
    case Job::Type::kCampaign: run_campaign(session); break;
    case Job::Type::kRun: run_cases(session); break;
    case Job::Type::kCoverage: run_coverage(session); break;
    case Job::Type::kTryGpu: try_gpu(session); break;
  }
}

}  // namespace

void carry_out(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot) {
  // CUDA reads this at its first call, which only children make.
  setenv("CUDA_MPS_PIPE_DIRECTORY", slot.job.mps_pipe[0] != '\0' ? slot.job.mps_pipe : kNoMps, 1);
  note_deaths(slot);
  std::vector<Implementation> with_native;
  if (slot.job.by_aten && slot.job.implementation < implementations.size()) {
    with_native.assign(implementations.begin(), implementations.end());
    Implementation& judged = with_native[slot.job.implementation];
    judged = aten_beside(judged);
    implementations = with_native;
  }
  {
    Session session(implementations, memory, slot);
    take_round(slot);
    carry_out_job(session);
    while (slot.job.stays && !session.spent) {
      slot.finished.store(1, std::memory_order_release);
      if (!take_another_job(session)) break;
      carry_out_job(session);
    }
    watch_arena(nullptr);
  }
  stop_noting();
  slot.finished.store(1, std::memory_order_release);
}

}  // namespace indexfuzz
