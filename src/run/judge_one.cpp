#include "run/judge_one.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "judge/signature.h"
#include "run/mix.h"
#include "run/state.h"

namespace indexfuzz {
namespace {

using Chosen = boost::container::static_vector<std::size_t, kMaxImplementations>;

void tally(Tally& counters, const Verdict& verdict, bool illegal) {
  switch (verdict.status) {
    case Status::kAgreed: count(illegal ? counters.refused : counters.agreed); break;
    case Status::kVacuous: count(counters.vacuous); break;
    case Status::kRefused:
      count(counters.refused);
      count(counters.narrowed);
      break;
    case Status::kUnsupported: count(counters.unsupported); break;
    case Status::kFinding: count(counters.findings); break;
  }
}

Tally& tally_of(Session& session, std::size_t implementation, const Case& c) {
  return session.slot.tallies[implementation][place_of(c.op)];
}

/// Hands a new failure to the supervisor and waits until it has taken note of it.
void report(Session& session, const Case& named, std::uint64_t number, std::size_t implementation,
            const Verdict& verdict) {
  const std::uint64_t key =
      shrink_key(named, verdict, session.implementations[implementation].name);
  if (is_known_failure(session.memory, key, traits(named))) return;
  session.slot.pending = {number, static_cast<std::uint32_t>(implementation), verdict};
  session.slot.waiting.store(1, std::memory_order_release);
  while (session.slot.waiting.load(std::memory_order_acquire) != 0 && !must_end(session))
    usleep(200);
}

/// Those that have the form and are not known to refuse these dtypes; the others are counted.
void choose(Session& session, std::uint64_t number, const Case& c, std::uint64_t key,
            Chosen& chosen) {
  chosen.clear();
  const auto plans = plans_for(session, c);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i] == nullptr) continue;
    const Implementation& implementation = session.implementations[i];
    if ((c.breaks != 0 && implementation.legal_only) || number % implementation.one_in != 0)
      continue;
    if (session.support[i].should_skip(key)) {
      count(tally_of(session, i, c).unsupported);
    } else {
      chosen.push_back(i);
    }
  }
}

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
      if (plans[i] == nullptr) continue;
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

bool is_worth_keeping(const CallOutcomes& outcomes) {
  const auto holds = [&](Status status) {
    return std::ranges::any_of(outcomes,
                               [&](const CallOutcome& call) { return call.status == status; });
  };
  return holds(Status::kAgreed) && !holds(Status::kFinding);
}

bool must_end(const Session& session) {
  return session.slot.stop.load(std::memory_order_relaxed) != 0 || getppid() != session.parent;
}

void judge_one(Session& session, std::uint64_t number, const Case& drawn, RunnableCase& broken,
               CallOutcomes& outcomes) {
  outcomes.clear();
  session.slot.case_number.store(number, std::memory_order_relaxed);
  const std::uint64_t key = support_key(drawn);
  Chosen chosen;
  choose(session, number, drawn, key, chosen);
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
    if (touched) session.arena->restore();
    touched = true;
    const Verdict verdict = call(session, i, *plans[i]);
    tally(tally_of(session, i, *named), verdict, illegal);
    outcomes.push_back({static_cast<std::uint8_t>(i), session.observation.outcome, verdict.status,
                        verdict.kind, verdict.error_class});
    if (!illegal && verdict.status == Status::kUnsupported) {
      session.support[i].note_unsupported(key);
    } else if (!illegal && session.observation.outcome == Outcome::kReturned) {
      session.support[i].note_supported(key);
    }
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
