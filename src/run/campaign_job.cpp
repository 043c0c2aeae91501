#include "run/jobs.h"
#include "run/judge_one.h"

namespace indexfuzz {

void run_campaign(Session& session) {
  const Job& job = session.slot.job;
  const auto draw_number = [&job](std::uint64_t number, Case& c) {
    draw_case(job.seed, job.worker, number, {job.targets, job.target_count}, job.limits, c);
  };
  Case drawn;
  RunnableCase broken;
  CallOutcomes outcomes;
  std::uint64_t batch = job.first_case;
  std::uint64_t number = job.first_case;
  for (; number < job.end_case && session.slot.stop.load(std::memory_order_relaxed) == 0;
       ++number) {
    if (number - batch == kBatch) {
      end_batch(session, batch, number, draw_number);
      batch = number;
      if (must_end(session)) break;
    }
    draw_number(number, drawn);
    judge_one(session, number, drawn, broken, outcomes);
  }
  if (number != batch) end_batch(session, batch, number, draw_number);
  session.slot.case_number.store(number, std::memory_order_relaxed);
}

}  // namespace indexfuzz
