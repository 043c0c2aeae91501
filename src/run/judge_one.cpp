#include "run/judge_one.h"

#include <cstdio>

#include "run/choose.h"
#include "run/mix.h"
#include "run/report.h"
#include "run/state.h"

namespace indexfuzz {
namespace {

/// Strikes out the custom implementations that refuse the illegal case's legal base: their refusal
/// of the case itself would show nothing.
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
    session.arena->suspect();  // nobody judges what this call writes
    if (accepts_base(session, i, *plans[i])) {
      kept.push_back(i);
    } else if (session.observation.outcome == Outcome::kUnsupported) {
      session.support[i].note_unsupported(key);
      count(tally_of(session, i, named).unsupported);
    } else {
      count(tally_of(session, i, named).refused);
      count(tally_of(session, i, named).narrowed);
    }
  }
  chosen = kept;
}

/// Runs the cases [first, end) again, looking at the whole memory after every call, for the one
/// that wrote far outside its output.
void find_stray_write(Session& session, std::uint64_t first, std::uint64_t end,
                      const CaseByNumber& case_by_number) {
  renew_arena(session);
  Case drawn;
  RunnableCase runnable;
  for (std::uint64_t number = first; number < end && !must_end(session); ++number) {
    session.slot.case_number.store(number, std::memory_order_relaxed);
    case_by_number(number, drawn);
    make_runnable(drawn, runnable);
    const auto plans = plans_for(session, drawn);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (plans[i] == nullptr || session.implementations[i].device >= 0) continue;
      if (runnable.illegal && session.implementations[i].legal_only) continue;
      session.arena->prepare(runnable.applied);
      const Verdict seen = call(session, i, *plans[i]);
      if (memory_intact(session)) continue;
      renew_arena(session);
      if (seen.status == Status::kFinding) continue;  // reported as what it was
      const Verdict verdict = stray_write();
      tally(tally_of(session, i, drawn), verdict, runnable.illegal);
      report(session, runnable.named, number, i, verdict);
    }
  }
}

}  // namespace

void judge_one(Session& session, std::uint64_t number, const Case& drawn, RunnableCase& broken,
               CallOutcomes& outcomes) {
  outcomes.clear();
  session.slot.case_number.store(number, std::memory_order_relaxed);
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
  bool touched = false;
  for (const std::size_t i : chosen) {
    if (touched) lay_out_again(session, *applied);
    touched = true;
    const Verdict verdict = call(session, i, *plans[i]);
    tally(tally_of(session, i, *named), verdict, illegal);
    outcomes.push_back({static_cast<std::uint8_t>(i), session.observation.outcome, verdict.status,
                        verdict.kind, verdict.error_class});
    if (!illegal) note_support(session, i, key, session.observation.outcome, verdict.status);
    if (verdict.status != Status::kFinding) continue;
    report(session, *named, number, i, verdict);
    session.arena->suspect();
    session.arena->prepare(*applied);
    touched = false;
  }
}

void end_batch(Session& session, std::uint64_t first, std::uint64_t end,
               const CaseByNumber& case_by_number) {
  if (!memory_intact(session)) find_stray_write(session, first, end, case_by_number);
  const std::string changed = take_global_state_change();
  if (!changed.empty()) {
    std::fprintf(stderr, "indexfuzz: among the cases %llu to %llu a kernel changed %s; put back\n",
                 static_cast<unsigned long long>(first), static_cast<unsigned long long>(end - 1),
                 changed.c_str());
  }
}

}  // namespace indexfuzz
