#include "run/host/batch_end.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "run/host/determinism.h"
#include "run/host/host_call.h"
#include "run/host/leak.h"
#include "run/session/report.h"
#include "run/watch/memory_limit.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

// What is counted after each batch, and what takes longer to count.
constexpr Resource kCounted[] = {Resource::kThreads, Resource::kProcesses, Resource::kDescriptors};
constexpr Resource kMemory[] = {Resource::kTensors, Resource::kHeap};
// look_for_changing_result() takes one batch in kBatchesPerLook and, among its first
// kLooksForChange cases, the largest that has several right results.
constexpr std::uint64_t kBatchesPerLook = 5, kLooksForChange = 16;
// At most this many suspected cases of one turn are called again and again.
constexpr int kMostTrials = 32;
// A heap of many pieces takes long to count, so a search looks at as many cases as fit.
constexpr std::chrono::seconds kLongestSearch{1};

bool must_break_off(const Session& session) {
  return session.spent || must_end(session);
}

/// Calls every implementation that has run the case; `look(implementation, plan, verdict)` follows
/// each call.
template <typename Look>
void run_again(Session& session, const BatchCases& batch, std::uint64_t number, Case& c,
               RunnableCase& runnable, Look&& look) {
  session.slot.case_number.store(number, std::memory_order_relaxed);
  if (!batch.get(number, c)) return;
  set_threads(c.environment.threads);
  make_runnable(c, runnable);
  const auto plans = plans_for(session, runnable.named);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i] == nullptr || !session.ran.has(number, i)) continue;
    session.arena->prepare(runnable.applied);
    look(i, *plans[i], call(session, i, *plans[i]));
  }
}

/// Runs the batch again and checks the whole memory and the global state after every call.
void find_culprits(Session& session, const BatchCases& batch, const ReportFailure& report) {
  Case c;
  RunnableCase runnable;
  for (std::uint64_t number = batch.first; number < batch.end && !must_break_off(session);
       ++number) {
    run_again(session, batch, number, c, runnable,
              [&](std::size_t i, const Plan&, const Verdict& seen) {
                const std::string changed = take_global_state_change();
                const bool intact = memory_intact(session);
                if (!intact) renew_arena(session);
                if (seen.status == Status::kFinding) return;  // reported already, as its own kind
                if (!intact)
                  report(runnable, number, i, stray_write());
                else if (!changed.empty())
                  report(runnable, number, i, changed_state(changed));
              });
  }
}

}  // namespace

Verdict stray_write() {
  return finding(Kind::kMemory, -1, "wrote far outside its output");
}

Verdict changed_state(const std::string& what) {
  return finding_by_message(Kind::kInput, -1, "changed " + what);
}

bool put_back_global_state(Session& session) {
  const std::string changed = take_global_state_change();
  if (changed.empty()) return false;
  session.changed_state = changed;
  return true;
}

void look_back(Session& session, const BatchCases& batch, const ReportFailure& report) {
  const bool intact = memory_intact(session);
  put_back_global_state(session);
  const std::string changed = std::exchange(session.changed_state, {});
  if (!intact) renew_arena(session);
  if (!intact || !changed.empty()) find_culprits(session, batch, report);
  alternate_grad_mode();
}

void look_for_changing_result(Session& session, const BatchCases& batch,
                              const ReportFailure& report) {
  if (batch.first / (batch.end - batch.first) % kBatchesPerLook != 0) return;
  Case c;
  std::optional<std::uint64_t> largest;
  std::int64_t elements = 0;
  const std::uint64_t end = std::min(batch.end, batch.first + kLooksForChange);
  for (std::uint64_t number = batch.first; number < end; ++number) {
    if (!batch.get(number, c)) continue;
    if (c.breaks != 0 || operator_of(c).agreement(c) != Agreement::kAnyContributor) continue;
    if (largest && total_elements(c) <= elements) continue;
    largest = number;
    elements = total_elements(c);
  }
  if (!largest || must_end(session)) return;
  RunnableCase runnable;
  run_again(session, batch, *largest, c, runnable,
            [&](std::size_t i, const Plan& plan, const Verdict& seen) {
              if (seen.status != Status::kAgreed) return;
              if (const auto verdict = find_changing_result(session, i, plan))
                report(runnable, *largest, i, *verdict);
            });
}

void LeakWatch::look(Session& session, const BatchCases& batch, const ReportFailure& report) {
  look(session, batch, report, counted_, kCounted, session.slot.counted_searches);
  if (memory_.settled && batch.end - memory_.first < turn_) return;
  look(session, batch, report, memory_, kMemory, session.slot.memory_searches);
}

void LeakWatch::look(Session& session, const BatchCases& batch, const ReportFailure& report,
                     Since& since, std::span<const Resource> resources,
                     Slot::LeakSearches& searches) {
  session.executor.forget_results();
  bool more = false;
  const auto take_stock = [&] {
    for (const Resource resource : resources) {
      std::int64_t& held = since.held[static_cast<std::size_t>(resource)];
      const std::int64_t now = held_now(resource);
      more |= now > held;
      held = now;
    }
  };
  take_stock();
  if (since.settled && more) {
    if (searches.looks_to_skip > 0) {
      --searches.looks_to_skip;
    } else {
      search(session, {since.first, batch.end, batch.get}, report);
      // A cache that grows with each new shape looks like a leak: search ever more rarely.
      searches.looks_to_skip = (1u << std::min(++searches.made, 20u)) - 1;
      take_stock();
    }
  }
  since.settled = true;
  since.first = batch.end;
}

bool LeakWatch::explains_lack(Session& session, const BatchCases& batch,
                              const ReportFailure& report) {
  const RaisedMemoryLimit raised;
  session.spent = false;
  const bool found = search(session, {memory_.first, batch.end, batch.get}, report);
  session.spent = true;
  return found;
}

bool LeakWatch::search(Session& session, const BatchCases& cases, const ReportFailure& report) {
  Case c;
  RunnableCase runnable;
  int trials = 0;
  bool found = false;
  join_free_memory();
  const auto end = std::chrono::steady_clock::now() + kLongestSearch;
  for (std::uint64_t number = cases.first; number < cases.end && !found; ++number) {
    if (must_break_off(session) || trials == kMostTrials) break;
    if (std::chrono::steady_clock::now() > end) break;
    Held before = held_by_calls(session);
    run_again(session, cases, number, c, runnable,
              [&](std::size_t i, const Plan& plan, const Verdict& seen) {
                const Held after = held_by_calls(session);
                bool more = false;
                for (std::size_t r = 0; r < after.size(); ++r) more |= after[r] > before[r];
                before = after;
                if (!more || found || seen.status == Status::kFinding) return;
                ++trials;
                if (const auto verdict = find_leak(session, i, plan, LeakSearch::kLong)) {
                  report(runnable, number, i, *verdict);
                  found = true;
                }
                before = held_by_calls(session);
              });
  }
  return found;
}

}  // namespace indexfuzz
