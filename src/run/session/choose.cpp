#include "run/session/choose.h"

#include "ops/fills/table.h"
#include "run/session/mix.h"
#include "run/session/report.h"

namespace indexfuzz {
namespace {

bool is_set_aside(const SharedMemory& memory, std::size_t implementation, std::size_t op_place) {
  const auto& word = memory.set_aside[implementation][op_place / 64];
  return (word.load(std::memory_order_relaxed) >> op_place % 64 & 1) != 0;
}

bool is_too_slow_for(const SharedMemory& memory, std::size_t implementation, const Case& c) {
  return memory.slow_on_tables[implementation].load(std::memory_order_relaxed) != 0 && has_table(c);
}

}  // namespace

void choose(Session& session, std::uint64_t number, const Case& c, std::uint64_t key, Where where,
            Chosen& chosen) {
  chosen.clear();
  const auto plans = plans_for(session, c);
  const auto op_place = static_cast<std::size_t>(place_of(c.op));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i] == nullptr) continue;
    const Implementation& implementation = session.implementations[i];
    if (implementation.on_gpu() != (where == Where::kDevice)) continue;
    if (!is_asked(implementation, c) || number % implementation.one_in != 0) continue;
    if (session.support[i].should_skip(key)) {
      count(tally_of(session, i, c).unsupported);
    } else if (implementation.custom && is_passed_over(session.slot, i, number, c)) {
      count(tally_of(session, i, c).passed_over);
    } else if (is_too_slow_for(session.memory, i, c)) {
      count(tally_of(session, i, c).passed_over);
    } else if (is_set_aside(session.memory, i, op_place)) {
      count(tally_of(session, i, c).steered);
    } else if (session.steering.turns_away(session.memory, session.slot, number, c, i,
                                           implementation.custom)) {
      count(tally_of(session, i, c).steered);
    } else {
      chosen.push_back(i);
    }
  }
}

bool is_wanted_on_devices(const Session& session, const Narrowings& known, std::uint64_t number,
                          const Case& c) {
  const auto plans = plans_for(session, c);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Implementation& implementation = session.implementations[i];
    if (plans[i] == nullptr || !implementation.on_gpu()) continue;
    if (!implementation.custom || !is_passed_over(known, i, number, c)) return true;
  }
  return false;
}

void count_unwanted(Session& session, std::uint64_t number, const Case& c) {
  const auto plans = plans_for(session, c);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Implementation& implementation = session.implementations[i];
    if (plans[i] == nullptr || !implementation.on_gpu() || number % implementation.one_in != 0)
      continue;
    if (is_asked(implementation, c)) count(tally_of(session, i, c).passed_over);
  }
}

Taken who_takes(Session& session, const Case& c) {
  const std::uint64_t key = support_key(c);
  const auto plans = plans_for(session, c);
  Taken taken = Taken::kNever;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i] == nullptr || session.implementations[i].on_gpu()) continue;
    if (session.support[i].should_skip(key) || expects_refusal(session.slot, i, c)) continue;
    if (!session.steering.would_turn_away(session.memory, session.slot, c, i,
                                          session.implementations[i].custom))
      return Taken::kNow;
    taken = Taken::kLater;
  }
  return taken;
}

void note_support(Session& session, std::size_t implementation, std::uint64_t key, Outcome outcome,
                  Status status) {
  if (status == Status::kUnsupported) {
    session.support[implementation].note_unsupported(key);
  } else if (outcome == Outcome::kReturned) {
    session.support[implementation].note_supported(key);
  }
}

void note_refused_base(Session& session, std::size_t implementation, const Case& named,
                       std::uint64_t key, Outcome outcome) {
  Tally& counters = tally_of(session, implementation, named);
  if (outcome == Outcome::kUnsupported) {
    session.support[implementation].note_unsupported(key);
    count(counters.unsupported);
  } else {
    count(counters.refused);
    count(counters.narrowed);
  }
}

}  // namespace indexfuzz
