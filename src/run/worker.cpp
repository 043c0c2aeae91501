#include "run/worker.h"

#include "run/jobs.h"
#include "run/session.h"
#include "run/signals.h"
#include "run/state.h"

namespace indexfuzz {

void carry_out(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot) {
  Environment environment = slot.job.environment;
  repair(environment);
  set_global_state(environment);
  note_deaths(slot);
  {
    Session session(implementations, memory, slot);
    switch (slot.job.type) {
      case Job::Type::kCampaign: run_campaign(session); break;
      case Job::Type::kRun: run_cases(session); break;
      case Job::Type::kCoverage: run_coverage(session); break;
    }
    watch_arena(nullptr);
  }
  stop_noting();
  slot.finished.store(1, std::memory_order_release);
}

}  // namespace indexfuzz
