#include "run/judge_one.h"

#include <algorithm>

#include "run/choose.h"
#include "run/host_call.h"
#include "run/judge_call.h"
#include "run/mix.h"
#include "run/narrowing.h"
#include "run/places.h"
#include "run/report.h"
#include "run/watch/memory_limit.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

// Changing the protection of memory takes as long as some cases.
constexpr std::uint64_t kCasesPerReadOnly = 128;
// How often to look for new threads: if each call leaves one running, this many still have room. A
// look takes half as long as a case. PyTorch's own operators start only the threads of its pool,
// for which one look per batch is enough.
constexpr std::uint64_t kCasesPerThreadLook = 32;

/// Removes the custom implementations that refuse the illegal case's legal base: their refusal of
/// the case itself would show nothing.
void strike_out_narrowed(Session& session, const Case& named, std::uint64_t key, Chosen& chosen) {
  Case base = named;
  base.breaks = 0;
  const auto plans = plans_for(session, base);
  bool laid_out = false;
  Chosen kept;
  for (const std::size_t i : chosen) {
    if (!session.implementations[i].custom) {
      kept.push_back(i);
      continue;
    }
    if (laid_out) {
      session.arena->restore();
    } else {
      session.arena->prepare(std::move(base));
    }
    laid_out = true;
    session.arena->mark_dirty();  // this call is not judged
    if (accepts_base(session, i, *plans[i])) {
      kept.push_back(i);
    } else {
      note_refused_base(session, i, named, key, session.observation.outcome);
    }
  }
  chosen = kept;
}

}  // namespace

void judge_one(Session& session, std::uint64_t number, const Case& drawn, RunnableCase& broken,
               CallOutcomes& outcomes, std::optional<Lack>& lack) {
  outcomes.clear();
  session.slot.case_number.store(number, std::memory_order_relaxed);
  if (session.has_custom && number % kCasesPerThreadLook == 0) leave_room_for_threads();
  set_threads(drawn.environment.threads);
  const std::uint64_t key = support_key(drawn);
  Chosen chosen;
  choose(session, number, drawn, key, Where::kHost, chosen);
  if (chosen.empty()) return;

  const Case* named = &drawn;
  const Case* applied = &drawn;
  bool illegal = false;
  if (drawn.breaks != 0) {
    make_runnable(drawn, broken);
    named = &broken.named;
    applied = &broken.applied;
    illegal = broken.illegal;
    if (illegal) strike_out_narrowed(session, *named, key, chosen);
    if (chosen.empty()) return;
  }

  session.arena->prepare(*applied);
  count_mix(session.slot.mix, *session.arena);
  const auto plans = plans_for(session, *named);
  const Inputs inputs = number % kCasesPerReadOnly == 0 ? Inputs::kReadOnly : Inputs::kWritable;
  bool touched = false;
  for (const std::size_t i : chosen) {
    session.ran.note(number, i);
    if (touched) lay_out_again(session, *applied);
    touched = true;
    Verdict verdict = call(session, i, *plans[i], inputs);
    if (verdict.status == Status::kFinding && put_back_global_state(session)) {
      // restore() would not do: the judge has copied into the image what was written.
      session.arena->mark_dirty();
      session.arena->prepare(*applied);
      verdict = call(session, i, *plans[i]);
    }
    const bool must_refuse = illegal || to_be_refused(session.implementations[i], *named);
    tally(session, i, verdict, *named, must_refuse);
    outcomes.push_back({static_cast<std::uint8_t>(i), session.observation.outcome, verdict.status,
                        verdict.kind, verdict.error_class});
    if (!must_refuse) note_support(session, i, key, session.observation.outcome, verdict.status);
    if (verdict.status == Status::kRefused && has_stopped_taking(session.slot, i, *named))
      report(session, *named, number, i, stopped_taking(verdict));
    if (verdict.status != Status::kFinding) continue;
    if (session.spent) {
      lack = {*named, number, i, verdict};
      return;
    }
    report(session, *named, number, i, verdict);
    session.arena->mark_dirty();
    session.arena->prepare(*applied);
    touched = false;
  }
}

bool is_worth_keeping(const CallOutcomes& outcomes) {
  const auto holds = [&](Status status) {
    return std::ranges::any_of(outcomes,
                               [&](const CallOutcome& call) { return call.status == status; });
  };
  return holds(Status::kAgreed) && !holds(Status::kFinding);
}

ReportFailure report_to(Session& session) {
  return [&session](const RunnableCase& c, std::uint64_t number, std::size_t i,
                    const Verdict& verdict) {
    tally(session, i, verdict, c.named, c.illegal);
    report(session, c.named, number, i, verdict);
  };
}

void end_batch(Session& session, LeakWatch& leaks, const BatchCases& batch) {
  if (!calls_host(session.slot.job, session.implementations)) {
    // Who did it is found only by further calls on the host.
    put_back_global_state(session);
    session.changed_state.clear();
    return;
  }
  leave_room_for_threads();
  const ReportFailure note = report_to(session);
  look_back(session, batch, note);
  look_for_changing_result(session, batch, note);
  leaks.look(session, batch, note);
}

void end_last_batch(Session& session, LeakWatch& leaks, const BatchCases& batch,
                    const std::optional<Lack>& lack) {
  if (!session.spent) {
    if (batch.first != batch.end) end_batch(session, leaks, batch);
    return;
  }
  if (lack && !leaks.explains_lack(session, batch, report_to(session)))
    report(session, lack->c, lack->number, lack->implementation, lack->verdict);
}

}  // namespace indexfuzz
