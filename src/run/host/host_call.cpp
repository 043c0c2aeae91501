#include "run/host/host_call.h"

#include <ctime>

#include <chrono>

#include "memory/guarded_heap.h"
#include "ops/fills/table.h"
#include "run/host/depends_on_contents.h"
#include "run/host/returned.h"
#include "run/session/first_call.h"
#include "run/session/judge_call.h"

namespace indexfuzz {
namespace {

/// What all threads of this process have used.
std::chrono::nanoseconds processor_time() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

void end_call(Session& session, std::size_t implementation, const Plan& plan) {
  end_first_call(session, implementation, plan, session.observation.outcome);
  session.slot.implementation.store(kMaxImplementations, std::memory_order_relaxed);
}

void free_results(Session& session) {
  session.executor.release();
  // Damage that this call is charged with would be found again when its results are freed.
  if (session.observation.canary_bytes != 0) GuardedHeap::instance().take_damage();
}

/// A kernel that looks at all elements of a table would hold up the campaign. It takes processor
/// time to do so, while one that only waits for a busy machine, or compiles, may go on.
void call_on_table(Session& session, std::size_t implementation, const Plan& plan) {
  constexpr std::chrono::milliseconds kLong{100};
  const bool may_compile = is_first_call(session, implementation, plan);
  const auto begin = processor_time();
  session.executor.run(plan, *session.arena, session.observation);
  if (!may_compile && processor_time() - begin > kLong)
    session.memory.slow_on_tables[implementation].store(1, std::memory_order_relaxed);
}

}  // namespace

void begin_call(Session& session, std::size_t implementation, const Plan& plan) {
  begin_first_call(session, implementation, plan);
  session.slot.implementation.store(static_cast<std::uint32_t>(implementation),
                                    std::memory_order_relaxed);
  session.slot.calls.fetch_add(1, std::memory_order_relaxed);
}

Verdict call(Session& session, std::size_t implementation, const Plan& plan, Inputs inputs) {
  begin_call(session, implementation, plan);
  if (inputs == Inputs::kReadOnly) session.arena->set_inputs_read_only(true);
  if (has_table(session.arena->current())) {
    call_on_table(session, implementation, plan);
  } else {
    session.executor.run(plan, *session.arena, session.observation);
  }
  if (inputs == Inputs::kReadOnly) session.arena->set_inputs_read_only(false);
  Verdict verdict = judge_call(session, implementation, session.observation);
  if (session.slot.job.keep_returned) keep_returned(session.observation, session.slot.returned);
  // PyTorch's own operators keep no results.
  if (session.implementations[implementation].custom &&
      session.observation.outcome == Outcome::kReturned)
    session.executor.keep_result(session.arena->current());
  free_results(session);
  if (verdict.status == Status::kRefused && session.observation.outcome == Outcome::kRefused &&
      refusal_depends_on_contents(session, implementation, plan))
    verdict = refused_by_contents(verdict);
  end_call(session, implementation, plan);
  // Memory that is not given back would be missing in the next call.
  session.spent |= verdict.status == Status::kFinding && verdict.kind == Kind::kOom;
  return verdict;
}

void lay_out_again(Session& session, const Case& applied) {
  if (session.observation.outcome == Outcome::kReturned) {
    session.arena->restore();
  } else {
    // A refused call may leave its output in any state: the judge has copied that into the image,
    // and an output of an illegal case may lie in an input.
    session.arena->prepare(applied);
  }
}

void observe(Session& session, std::size_t implementation, const Plan& plan) {
  begin_call(session, implementation, plan);
  session.executor.run(plan, *session.arena, session.observation);
}

void forget(Session& session, std::size_t implementation, const Plan& plan) {
  free_results(session);
  end_call(session, implementation, plan);
}

bool accepts_base(Session& session, std::size_t implementation, const Plan& plan) {
  session.slot.unjudged.store(Unjudged::kLegalBase, std::memory_order_relaxed);
  observe(session, implementation, plan);
  forget(session, implementation, plan);
  session.slot.unjudged.store(Unjudged::kNo, std::memory_order_relaxed);
  return session.observation.outcome == Outcome::kReturned;
}

}  // namespace indexfuzz
