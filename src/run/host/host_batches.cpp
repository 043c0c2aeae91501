#include "run/host/host_batches.h"

#include <utility>

#include "run/session/judge_call.h"
#include "run/session/mix.h"
#include "run/session/narrowing.h"
#include "run/session/places.h"
#include "run/session/report.h"
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

/// Returns a function that counts what the end of a batch finds, and hands it to the supervisor.
ReportFailure report_to(Session& session) {
  return [&session](const RunnableCase& c, std::uint64_t number, std::size_t i,
                    const Verdict& verdict) {
    tally(session, i, verdict, c.named, c.illegal);
    report(session, c.named, number, i, verdict);
  };
}

/// Lays the case out where a call may have written anywhere.
void lay_out_anew(Arena& arena, const Case& applied) {
  // restore() would not do: the judge has copied into the image what was written.
  arena.mark_dirty();
  arena.prepare(applied);
}

}  // namespace

HostBatches::HostBatches(Session& session, GetCase get, std::uint64_t turn)
    : session_(session),
      get_(std::move(get)),
      leaks_(session.slot.job.first_case, turn),
      first_(session.slot.job.first_case) {}

const CallOutcomes& HostBatches::run(std::uint64_t number, const Case& drawn) {
  outcomes_.clear();
  session_.slot.case_number.store(number, std::memory_order_relaxed);
  if (session_.has_custom && number % kCasesPerThreadLook == 0) leave_room_for_threads();
  set_threads(drawn.environment.threads);
  const std::uint64_t key = support_key(drawn);
  Chosen chosen;
  choose(session_, number, drawn, key, Where::kHost, chosen);
  if (chosen.empty()) return outcomes_;
  const Running running = made_runnable(number, key, drawn);
  if (running.illegal) strike_out_narrowed(session_, *running.named, key, chosen);
  if (!chosen.empty()) call_chosen(running, chosen);
  return outcomes_;
}

HostBatches::Running HostBatches::made_runnable(std::uint64_t number, std::uint64_t key,
                                                const Case& drawn) {
  Running running{
      .number = number, .key = key, .named = &drawn, .applied = &drawn, .illegal = false};
  if (drawn.breaks == 0) return running;
  make_runnable(drawn, broken_);
  running.named = &broken_.named;
  running.applied = &broken_.applied;
  running.illegal = broken_.illegal;
  return running;
}

void HostBatches::call_chosen(const Running& running, const Chosen& chosen) {
  session_.arena->prepare(*running.applied);
  count_mix(session_.slot.mix, *session_.arena);
  const auto plans = plans_for(session_, *running.named);
  const Inputs inputs =
      running.number % kCasesPerReadOnly == 0 ? Inputs::kReadOnly : Inputs::kWritable;
  bool touched = false;
  for (const std::size_t i : chosen) {
    session_.ran.note(running.number, i);
    if (touched) lay_out_again(session_, *running.applied);
    const Verdict verdict = call_in_known_state(running, i, *plans[i], inputs);
    note(running, i, verdict);
    touched = verdict.status != Status::kFinding;
    if (touched) continue;
    if (session_.spent) {
      lack_ = {*running.named, running.number, i, verdict};
      return;
    }
    report(session_, *running.named, running.number, i, verdict);
    lay_out_anew(*session_.arena, *running.applied);
  }
}

/// Calls once more if the call failed and global state had been changed.
Verdict HostBatches::call_in_known_state(const Running& running, std::size_t i, const Plan& plan,
                                         Inputs inputs) {
  const Verdict verdict = call(session_, i, plan, inputs);
  if (verdict.status != Status::kFinding || !put_back_global_state(session_)) return verdict;
  lay_out_anew(*session_.arena, *running.applied);
  return call(session_, i, plan);
}

/// Counts and learns from the last call.
void HostBatches::note(const Running& running, std::size_t i, const Verdict& verdict) {
  const Case& named = *running.named;
  const Outcome outcome = session_.observation.outcome;
  const bool must_refuse =
      running.illegal || to_be_refused(session_.implementations[i], named).has_value();
  tally(session_, i, verdict, named, must_refuse);
  outcomes_.push_back(
      {static_cast<std::uint8_t>(i), outcome, verdict.status, verdict.kind, verdict.error_class});
  if (!must_refuse) note_support(session_, i, running.key, outcome, verdict.status);
  if (verdict.status == Status::kRefused && has_stopped_taking(session_.slot, i, named))
    report(session_, named, running.number, i, stopped_taking(verdict));
}

void HostBatches::end_batch(std::uint64_t end) {
  const BatchCases batch{std::exchange(first_, end), end, get_};
  if (!calls_host(session_.slot.job, session_.implementations)) {
    // Who did it is found only by further calls on the host.
    put_back_global_state(session_);
    session_.changed_state.clear();
    return;
  }
  leave_room_for_threads();
  const ReportFailure note = report_to(session_);
  look_back(session_, batch, note);
  look_for_changing_result(session_, batch, note);
  leaks_.look(session_, batch, note);
}

void HostBatches::end_last_batch(std::uint64_t end) {
  if (!session_.spent) {
    if (first_ != end) end_batch(end);
    return;
  }
  if (lack_ && !leaks_.explains_lack(session_, {first_, end, get_}, report_to(session_)))
    report(session_, lack_->c, lack_->number, lack_->implementation, lack_->verdict);
}

}  // namespace indexfuzz
