#include <unistd.h>

#include <algorithm>
#include <optional>

#include "judge/signature.h"
#include "run/batch_end.h"
#include "run/jobs.h"
#include "run/mix.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kBatch = 256;

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

bool must_end(const Session& session) {
  return session.slot.stop.load(std::memory_order_relaxed) != 0 || getppid() != session.parent;
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

/// A call that found no memory left. It may have been taken by others.
struct Lack {
  Case c;
  std::uint64_t number;
  std::size_t implementation;
  Verdict verdict;
};

/// Draws case `number`, runs it through everyone who has its form, judges and counts.
void run_one(Session& session, std::uint64_t number, Case& drawn, RunnableCase& broken,
             std::optional<Lack>& lack) {
  const Job& job = session.slot.job;
  session.slot.case_number.store(number, std::memory_order_relaxed);
  draw_case(job.seed, job.worker, number, {job.targets, job.target_count}, job.limits, drawn);

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
    Verdict verdict = call(session, i, *plans[i]);
    if (verdict.status == Status::kFinding && put_back_global_state(session)) {
      session.arena->suspect();
      session.arena->restore();
      verdict = call(session, i, *plans[i]);
    }
    tally(tally_of(session, i, *named), verdict, illegal);
    if (!illegal && verdict.status == Status::kUnsupported) {
      session.support[i].note_unsupported(key);
    } else if (!illegal && session.observation.outcome == Outcome::kReturned) {
      session.support[i].note_supported(key);
    }
    if (verdict.status != Status::kFinding) continue;
    if (session.spent) {
      lack = {*named, number, i, verdict};
      return;
    }
    report(session, *named, number, i, verdict);
    session.arena->suspect();
    session.arena->prepare(*applied);
    touched = false;
  }
}

BatchCases cases_of(const Session& session, std::uint64_t first, std::uint64_t end) {
  return {first, end, [&job = session.slot.job](std::uint64_t number, Case& c) {
            draw_case(job.seed, job.worker, number, {job.targets, job.target_count}, job.limits, c);
          }};
}

ReportFailure report_to(Session& session) {
  return [&session](const RunnableCase& c, std::uint64_t number, std::size_t i,
                    const Verdict& verdict) {
    tally(tally_of(session, i, c.named), verdict, c.illegal);
    report(session, c.named, number, i, verdict);
  };
}

}  // namespace

void run_campaign(Session& session) {
  const Job& job = session.slot.job;
  Case drawn;
  RunnableCase broken;
  LeakWatch leaks;
  const ReportFailure note = report_to(session);
  std::optional<Lack> lack;
  std::uint64_t batch = job.first_case;
  std::uint64_t number = job.first_case;
  for (; number < job.end_case && session.slot.stop.load(std::memory_order_relaxed) == 0;
       ++number) {
    if (number - batch == kBatch) {
      look_back(session, cases_of(session, batch, number), note);
      look_for_changing_result(session, cases_of(session, batch, number), note);
      leaks.look(session, cases_of(session, batch, number), note);
      batch = number;
      if (must_end(session)) break;
    }
    run_one(session, number, drawn, broken, lack);
    if (session.spent) {
      ++number;
      break;
    }
  }
  const BatchCases last = cases_of(session, batch, number);
  if (session.spent) {
    if (lack && !leaks.explains_lack(session, last, note))
      report(session, lack->c, lack->number, lack->implementation, lack->verdict);
  } else if (number != batch) {
    look_back(session, last, note);
    leaks.look(session, last, note);
  }
  session.slot.case_number.store(number, std::memory_order_relaxed);
}

}  // namespace indexfuzz
