#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "case/bytes.h"
#include "judge/signature.h"
#include "ops/definition/illegal_rule.h"
#include "ops/repair/other_calls.h"
#include "run/gpu/call_alone.h"
#include "run/gpu/device_leak.h"
#include "run/gpu/device_session.h"
#include "run/host/batch_end.h"
#include "run/host/determinism.h"
#include "run/host/host_call.h"
#include "run/host/leak.h"
#include "run/jobs/warm_up.h"
#include "run/session/first_call.h"
#include "run/session/jobs.h"
#include "run/shared/companions.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

Verdict narrowed(const Session& session) {
  const Status status = session.observation.outcome == Outcome::kUnsupported ? Status::kUnsupported
                                                                             : Status::kRefused;
  return no_finding(status, session.observation.message);
}

/// Calls the legal base of an illegal case; true if a custom kernel refuses that, so that its
/// refusal of the case itself would show nothing.
bool refuses_base(Session& session, const RunnableCase& c, std::size_t implementation,
                  const Plan& plan) {
  const Implementation& called = session.implementations[implementation];
  if (!c.illegal || !called.custom || session.slot.job.without_base) return false;
  Case base = c.named;
  base.breaks = 0;
  if (called.on_gpu()) {
    call_on_device(session, {base, false, Unjudged::kLegalBase}, implementation, plan);
    return session.observation.outcome != Outcome::kReturned;
  }
  session.arena->prepare(std::move(base));
  session.arena->mark_dirty();  // this call is not judged
  return !accepts_base(session, implementation, plan);
}

Verdict run_repeatedly_on_device(Session& session, const RunnableCase& c,
                                 std::size_t implementation, const Plan& plan) {
  if (session.slot.job.warm_up && is_first_call(session, implementation, plan)) {
    for (Case& each : warming_up(session.implementations[implementation], plan, c.named)) {
      call_on_device(session, {std::move(each)}, implementation, plan);
      if (!is_first_call(session, implementation, plan)) break;
    }
  }
  // A first call loads code, which takes longer than a busy stream stays busy, so one call goes
  // unjudged. A blank call then replaces what it left in the kernel's own memory, so that the
  // judged call does not find its own results there.
  std::vector<Case> later;
  if (c.applied.gpu.side_stream) {
    later = {with_zeros(c.named), with_one_element(c.named)};
    call_on_device(session, {c.applied, c.illegal}, implementation, plan);
    Case idle = later.front();
    idle.gpu.side_stream = false;
    call_on_device(session, {idle, false, Unjudged::kBlank}, implementation, plan);
  }
  if (refuses_base(session, c, implementation, plan)) return narrowed(session);
  const AloneCall judged{c.applied, c.illegal, Unjudged::kNo, later};
  Verdict verdict;
  const std::uint32_t repeats = std::max<std::uint32_t>(session.slot.job.repeats, 1);
  for (std::uint32_t i = 0; i < repeats; ++i) {
    verdict = call_on_device(session, judged, implementation, plan);
    if (verdict.status == Status::kFinding || session.slot.stop.load() != 0) return verdict;
  }
  if (!session.slot.job.look_longer) return verdict;
  return find_device_leak(session, c.applied, c.illegal, implementation, plan).value_or(verdict);
}

/// Makes one more call under stricter conditions, with grad mode on and read-only inputs, and
/// returns what it changed of the global state. Its verdict does not count; a write into an input
/// ends the process.
std::string changed_by_stricter_call(Session& session, const RunnableCase& c,
                                     std::size_t implementation, const Plan& plan) {
  lay_out_again(session, c.applied);
  alternate_grad_mode();
  call(session, implementation, plan, Inputs::kReadOnly);
  const std::string changed = take_global_state_change();
  alternate_grad_mode();
  return changed;
}

/// The verdict on the first failing call of `repeats` calls, or on the last one.
Verdict run_repeatedly(Session& session, const RunnableCase& c, std::size_t implementation,
                       const Plan& plan) {
  if (session.implementations[implementation].on_gpu())
    return run_repeatedly_on_device(session, c, implementation, plan);
  if (session.slot.job.warm_up) warm_up(session, implementation, plan, c.named);
  if (refuses_base(session, c, implementation, plan)) return narrowed(session);
  session.arena->prepare(c.applied);
  Verdict verdict;
  const std::uint32_t repeats = std::max<std::uint32_t>(session.slot.job.repeats, 1);
  for (std::uint32_t i = 0; i < repeats; ++i) {
    if (i != 0) lay_out_again(session, c.applied);
    verdict = call(session, implementation, plan);
    if (verdict.status == Status::kFinding) {
      session.arena->mark_dirty();
      take_global_state_change();
      return verdict;
    }
    if (session.slot.stop.load(std::memory_order_relaxed) != 0) break;
  }
  if (!memory_intact(session)) {
    renew_arena(session);
    return stray_write();
  }
  std::string changed = take_global_state_change();
  if (changed.empty() && session.slot.job.stricter)
    changed = changed_by_stricter_call(session, c, implementation, plan);
  if (!changed.empty()) return changed_state(changed);
  if (!session.slot.job.look_longer) return verdict;
  std::optional<Verdict> found = find_changing_result(session, implementation, plan);
  if (!found) found = find_leak(session, implementation, plan, LeakSearch::kShort);
  session.arena->mark_dirty();
  return found.value_or(verdict);
}

/// Runs a case of the lead as a campaign would, and ignores the verdict.
void run_lead(Session& session, const RunnableCase& c, std::size_t implementation,
              const Plan& plan) {
  const bool on_device = session.implementations[implementation].on_gpu();
  if (on_device && c.illegal && is_illegal_by_value(c.applied)) return;
  if (refuses_base(session, c, implementation, plan)) return;
  if (on_device) {
    call_on_device(session, {c.applied, c.illegal}, implementation, plan);
    return;
  }
  session.arena->prepare(c.applied);
  if (call(session, implementation, plan).status == Status::kFinding) session.arena->mark_dirty();
}

/// The job's case at `index`; the lead comes first.
Case case_at(const Session& session, std::uint32_t index) {
  return decode({session.slot.run_bytes + index * kEncodedBytes, kEncodedBytes});
}

/// The implementation to call on a case of the lead: the judged one or, if that has another
/// operator, its companion; none if neither has a plan for it.
std::optional<std::size_t> caller_in_lead(const Session& session, std::size_t judged,
                                          std::span<const Plan* const> plans) {
  if (plans.empty()) return std::nullopt;
  if (plans[judged] != nullptr) return judged;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i] != nullptr &&
        are_companions(session.implementations[judged].name, session.implementations[i].name))
      return i;
  }
  return std::nullopt;
}

/// Makes the first calls before the lead: after a case of it that leaves the kernel unable to
/// answer, a first call would be waited for much longer than another one.
void warm_up_ahead(Session& session, std::uint32_t count, std::size_t first, std::size_t end) {
  for (std::uint32_t index = 0; index < count; ++index) {
    const Case c = case_at(session, index);
    set_threads(c.environment.threads);
    const auto plans = plans_for(session, c);
    for (std::size_t i = first; i < end; ++i) {
      const auto caller = caller_in_lead(session, i, plans);
      if (caller && !session.implementations[*caller].on_gpu())
        warm_up(session, *caller, *plans[*caller], c);
    }
  }
}

/// Writes one result; true if the run ends with it.
bool conclude(Session& session, const Case& named, std::uint32_t index, std::size_t implementation,
              const Verdict& verdict) {
  Slot& slot = session.slot;
  const std::uint32_t done = slot.completed.load(std::memory_order_relaxed);
  slot.results[done] = {index, static_cast<std::uint32_t>(implementation), verdict};
  slot.completed.store(done + 1, std::memory_order_release);
  if (done + 1 == kMaxRunCases || session.spent) return true;
  return verdict.status == Status::kFinding && slot.job.stop_at_key != 0 &&
         shrink_key(named, verdict, session.implementations[implementation].name) ==
             slot.job.stop_at_key;
}

}  // namespace

void run_cases(Session& session) {
  Slot& slot = session.slot;
  const Job& job = slot.job;
  const std::size_t available = std::min(slot.run_size, kRunBytes) / kEncodedBytes;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(job.case_count, available));
  const bool all = job.implementation >= session.implementations.size();
  const std::size_t first = all ? 0 : job.implementation;
  const std::size_t end = all ? session.implementations.size() : first + 1;
  if (count == 0 && !all) open_device_of(session, first);
  if (job.warm_up && job.lead_count > 0) warm_up_ahead(session, count, first, end);
  RunnableCase runnable;
  for (std::uint32_t index = 0; index < count; ++index) {
    slot.case_number.store(index, std::memory_order_relaxed);
    const Case c = case_at(session, index);
    set_threads(c.environment.threads);
    const auto plans = plans_for(session, c);
    const bool known =
        !plans.empty() &&
        std::any_of(plans.begin(), plans.end(), [](const Plan* plan) { return plan != nullptr; });
    if (known) make_runnable(c, runnable);
    for (std::size_t i = first; i < end; ++i) {
      if (slot.stop.load(std::memory_order_relaxed) != 0) return;
      if (index < job.lead_count) {
        const auto caller = caller_in_lead(session, i, plans);
        if (caller && is_asked(session.implementations[*caller], runnable.named))
          run_lead(session, runnable, *caller, *plans[*caller]);
        continue;
      }
      const bool asked = known && is_asked(session.implementations[i], runnable.named);
      const bool can = asked && plans[i] != nullptr;
      const Verdict verdict =
          can ? run_repeatedly(session, runnable, i, *plans[i])
              : no_finding(Status::kUnsupported,
                           asked || !known ? "has no such form" : "is not asked for it");
      if (conclude(session, known ? runnable.named : c, index, i, verdict)) return;
    }
  }
}

}  // namespace indexfuzz
