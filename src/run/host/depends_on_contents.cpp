#include "run/host/depends_on_contents.h"

#include "memory/guarded_heap.h"
#include "memory/observation.h"
#include "run/host/host_call.h"

namespace indexfuzz {
namespace {

Outcome outcome_with(Session& session, std::size_t implementation, const Plan& plan,
                     GuardedHeap::Contents contents) {
  Arena& arena = *session.arena;
  arena.mark_dirty();  // these calls are not judged
  arena.prepare(arena.current());
  if (contents == GuardedHeap::Contents::kHarmless) arena.clear_surroundings();
  Observation seen;
  GuardedHeap& heap = GuardedHeap::instance();
  begin_call(session, implementation, plan);
  heap.set_contents(contents);
  session.executor.run(plan, arena, seen);
  session.executor.release();
  heap.set_contents(GuardedHeap::Contents::kCanaries);
  arena.mark_dirty();
  arena.restore();  // the canaries, too
  return seen.outcome;
}

}  // namespace

bool refusal_depends_on_contents(Session& session, std::size_t implementation, const Plan& plan) {
  const auto outcome = [&](GuardedHeap::Contents contents) {
    return outcome_with(session, implementation, plan, contents);
  };
  // A kernel that refuses only its first call, whatever memory holds, accepts the second of these.
  return outcome(GuardedHeap::Contents::kHarmless) == Outcome::kReturned &&
         outcome(GuardedHeap::Contents::kCanaries) == Outcome::kRefused;
}

}  // namespace indexfuzz
