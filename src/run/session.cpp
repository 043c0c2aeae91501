#include "run/session.h"

#include <unistd.h>

#include <algorithm>

#include "memory/guarded_heap.h"
#include "ops/other_calls.h"
#include "run/call/python_libraries.h"
#include "run/depends_on_contents.h"
#include "run/returned.h"
#include "run/watch/signals.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kVariants = 3;

/// Where the plans for one form start in Session::plans.
std::size_t row_of(const Session& session, int place, std::size_t overload, Variant variant) {
  const auto form = (static_cast<std::size_t>(place) * kMaxOverloads + overload) * kVariants +
                    static_cast<std::size_t>(variant);
  return form * session.implementations.size();
}

std::size_t form_of(const Session& session, std::size_t implementation, const Plan& plan) {
  return row_of(session, place_of(plan.op->number), plan.overload, plan.variant) + implementation;
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

}  // namespace

Session::Session(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot)
    : implementations(implementations),
      memory(memory),
      slot(slot),
      support(implementations.size()),
      parent(getppid()),
      has_custom(std::ranges::any_of(
          implementations, [](const Implementation& i) { return i.custom && !i.on_gpu(); })) {
  observation.message.reserve(4096);
  plans.resize(operators().size() * kMaxOverloads * kVariants * implementations.size());
  called.resize(plans.size());
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    for (const Plan& plan : implementations[i].plans) {
      plans[row_of(*this, place_of(plan.op->number), plan.overload, plan.variant) + i] = &plan;
    }
  }
  renew_arena(*this);
}

std::span<const Plan* const> plans_for(const Session& session, const Case& c) {
  const int place = place_of(c.op);
  if (place < 0 || c.overload >= kMaxOverloads) return {};
  return std::span(session.plans)
      .subspan(row_of(session, place, c.overload, c.variant), session.implementations.size());
}

void begin_call(Session& session, std::size_t implementation, const Plan& plan) {
  begin_first_call(session, implementation, plan);
  session.slot.implementation.store(static_cast<std::uint32_t>(implementation),
                                    std::memory_order_relaxed);
  session.slot.calls.fetch_add(1, std::memory_order_relaxed);
}

Standing standing_of(const Session& session, std::size_t implementation) {
  const Implementation& called = session.implementations[implementation];
  return {.is_custom = called.custom,
          .strict = session.slot.job.strict && !called.comes_along,
          .is_gradient = called.is_gradient,
          .is_meta = called.is_meta};
}

std::optional<Breach> to_be_refused(const Implementation& implementation, const Case& named) {
  const Contract* const contract = implementation.contract;
  if (contract == nullptr || !contract->must_refuse || named.breaks != 0) return std::nullopt;
  return sure_breach(*contract, named);
}

std::vector<Case> warming_up(const Implementation& implementation, const Plan& plan,
                             const Case& like) {
  std::vector<Case> cases{plainest_case(plan.op->number, plan.overload, plan.variant),
                          with_one_element(like)};
  if (const Contract* const contract = implementation.contract) {
    for (Case& c : cases) repair(c, {.contract = contract});
    std::erase_if(cases, [&](const Case& c) { return !keeps(*contract, c); });
  }
  return cases;
}

Verdict judge_call(Session& session, std::size_t implementation, const Observation& observation) {
  const Case& c = session.arena->current();
  const auto breach = to_be_refused(session.implementations[implementation], c);
  Standing standing = standing_of(session, implementation);
  standing.strict &= !breach;
  const Verdict verdict = judge(*session.arena, observation, standing);
  return breach ? judge_outside_contract(verdict, observation, describe(*breach, c)) : verdict;
}

Verdict call(Session& session, std::size_t implementation, const Plan& plan, Inputs inputs) {
  begin_call(session, implementation, plan);
  if (inputs == Inputs::kReadOnly) session.arena->set_inputs_read_only(true);
  session.executor.run(plan, *session.arena, session.observation);
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

bool is_first_call(const Session& session, std::size_t implementation, const Plan& plan) {
  return session.implementations[implementation].custom &&
         session.called[form_of(session, implementation, plan)] == 0;
}

void begin_first_call(Session& session, std::size_t implementation, const Plan& plan) {
  if (!is_first_call(session, implementation, plan)) return;
  const bool compiles =
      session.implementations[implementation].on_gpu() || !python_libraries().empty();
  session.slot.patience.store(compiles ? kLongPatience : kShortPatience);
}

void end_first_call(Session& session, std::size_t implementation, const Plan& plan,
                    Outcome outcome) {
  if (!is_first_call(session, implementation, plan)) return;
  session.slot.patience.store(0);
  if (outcome == Outcome::kReturned) session.called[form_of(session, implementation, plan)] = 1;
}

void warm_up(Session& session, std::size_t implementation, const Plan& plan, const Case& like) {
  if (!is_first_call(session, implementation, plan)) return;
  for (Case& c : warming_up(session.implementations[implementation], plan, like)) {
    session.arena->prepare(std::move(c));
    session.arena->mark_dirty();  // this call is not judged
    observe(session, implementation, plan);
    forget(session, implementation, plan);
    if (!is_first_call(session, implementation, plan)) return;
  }
}

bool memory_intact(Session& session) {
  const bool heap = GuardedHeap::instance().idle_intact();
  return session.arena->canaries_intact() && heap;
}

void renew_arena(Session& session) {
  watch_arena(nullptr);
  session.arena = std::make_unique<Arena>();
  watch_arena(session.arena.get());
}

Verdict stray_write() {
  Verdict verdict;
  verdict.status = Status::kFinding;
  verdict.kind = Kind::kMemory;
  set_message(verdict, "wrote far outside its output");
  return verdict;
}

}  // namespace indexfuzz
