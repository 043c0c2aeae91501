#include "campaign/runner.h"

#include <algorithm>
#include <optional>

#include "campaign/death.h"
#include "case/bytes.h"
#include "judge/signature.h"

namespace indexfuzz {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// One child under way.
struct Runner::Started {
  int slot;
  std::span<const Case> cases;
  milliseconds timeout;
  HangWatch watch;
  bool hung = false;
  bool again = false;  ///< its zygote died, and it was begun once more
  std::optional<int> status;
};

Runner::Runner(ZygoteClient& zygote, int first_slot, int slot_count, bool strict,
               Interrupted interrupted)
    : zygote_(zygote),
      first_slot_(first_slot),
      slot_count_(slot_count),
      strict_(strict),
      interrupted_(std::move(interrupted)) {}

Runner::Started Runner::begin(int slot, std::span<const Case> cases, const RunOptions& options) {
  const std::size_t size = encoded_size();
  const auto lead = options.before.last(
      std::min<std::size_t>({options.before.size(), kMaxLead, kRunBytes / size - 1}));
  const auto capacity = std::min<std::size_t>(kMaxRunCases, kRunBytes / size - lead.size());
  cases = cases.first(std::min(cases.size(), capacity));
  // One process has one environment.
  const auto other = std::ranges::find_if(
      cases, [&](const Case& c) { return c.environment != cases.front().environment; });
  cases = cases.first(static_cast<std::size_t>(other - cases.begin()));
  Slot& s = zygote_.slot(slot);
  s.job = Job{};
  s.job.type = Job::Type::kRun;
  s.job.strict = strict_;
  s.job.environment = cases.front().environment;
  s.job.implementation = options.implementation;
  s.job.lead_count = static_cast<std::uint32_t>(lead.size());
  s.job.case_count = static_cast<std::uint32_t>(lead.size() + cases.size());
  s.job.repeats = std::max(1u, options.repeats);
  s.job.stop_at_key = options.stop_at_key;
  s.job.look_longer = options.look_longer ? 1 : 0;
  s.job.warm_up = options.warm_up ? 1 : 0;
  s.run_size = (lead.size() + cases.size()) * size;
  std::byte* to = s.run_bytes;
  for (const auto& part : {lead, cases}) {
    for (const Case& c : part) {
      encode(c, to);
      to += size;
    }
  }
  zygote_.start(slot);
  return {slot, cases, options.timeout, {}, false, false, std::nullopt};
}

bool Runner::finished(Started& started) {
  if (started.status) return true;
  if ((started.status = zygote_.take_ended(started.slot))) {
    if (!zygote_.was_lost(started.slot) || started.again) return true;
    // The slot still holds what was asked for.
    started.again = true;
    started.status.reset();
    started.watch.reset();
    zygote_.start(started.slot);
    return false;
  }
  if (interrupted() ||
      started.watch.stuck(zygote_.slot(started.slot), Clock::now(), started.timeout)) {
    started.hung = !interrupted();
    zygote_.kill(started.slot);
    started.status = zygote_.take_ended(started.slot);
    return true;
  }
  return false;
}

std::vector<Verdict> Runner::verdicts(const Started& started) {
  const Slot& slot = zygote_.slot(started.slot);
  std::vector<Verdict> result;
  const auto completed = std::min<std::size_t>(slot.completed.load(), started.cases.size());
  for (std::size_t i = 0; i < completed; ++i) result.push_back(slot.results[i].verdict);
  if (started.status && ended_well(slot, *started.status)) return result;
  if (result.size() == started.cases.size()) {
    // It died after its last call: what that call broke is noticed when the process is torn down.
    if (!result.empty() && result.back().status != Status::kFinding && !interrupted()) {
      result.back() = verdict_of_death(started.cases.back(), slot, *started.status);
    }
    return result;
  }
  if (slot.case_number.load() < slot.job.lead_count) return result;
  if (started.hung) {
    result.push_back(verdict_of_hang(started.timeout));
  } else if (!interrupted()) {
    result.push_back(verdict_of_death(started.cases[result.size()], slot, *started.status));
  }
  return result;
}

std::vector<Verdict> Runner::run_in_one_process(std::span<const Case> cases,
                                                const RunOptions& options) {
  if (cases.empty() || interrupted()) return {};
  Started started = begin(first_slot_, cases, options);
  while (!finished(started)) zygote_.receive(milliseconds(20));
  return verdicts(started);
}

std::optional<Verdict> Runner::run_sequence(std::span<const Case> cases, RunOptions options) {
  options.before = cases.first(cases.size() - 1);
  const auto verdicts = run_in_one_process(cases.last(1), options);
  return verdicts.empty() ? std::nullopt : std::optional(verdicts.front());
}

std::vector<Verdict> Runner::run_apart(std::span<const Case> cases,
                                       std::span<const std::uint32_t> implementations,
                                       const RunOptions& options) {
  std::vector<Verdict> result;
  while (result.size() < cases.size() && !interrupted()) {
    std::vector<Started> started;
    const std::size_t first = result.size();
    const std::size_t count = std::min(cases.size() - first, static_cast<std::size_t>(slot_count_));
    for (std::size_t i = 0; i < count; ++i) {
      RunOptions one = options;
      one.implementation = implementations[first + i];
      started.push_back(begin(first_slot_ + static_cast<int>(i), cases.subspan(first + i, 1), one));
    }
    wait_for(started);
    Verdict nothing;
    nothing.status = Status::kVacuous;
    for (const Started& s : started) {
      const auto verdict = verdicts(s);
      result.push_back(verdict.empty() ? nothing : verdict.front());
    }
  }
  return result;
}

void Runner::wait_for(std::vector<Started>& started) {
  while (true) {
    std::size_t done = 0;
    for (Started& s : started) done += finished(s) ? 1 : 0;
    if (done == started.size()) return;
    zygote_.receive(milliseconds(20));
  }
}

std::vector<Verdict> Runner::run_copies(const Case& c, int copies, const RunOptions& options) {
  std::vector<Verdict> result;
  for (const auto& row : run_rows(c, copies, 1, options))
    result.insert(result.end(), row.begin(), row.end());
  return result;
}

std::vector<std::vector<Verdict>> Runner::run_rows(const Case& c, int copies, int times,
                                                   const RunOptions& options) {
  std::vector<std::vector<Verdict>> result;
  const std::vector<Case> row(static_cast<std::size_t>(times), c);
  while (copies > 0 && !interrupted()) {
    std::vector<Started> started;
    for (int i = 0; i < std::min(copies, slot_count_); ++i) {
      started.push_back(begin(first_slot_ + i, row, options));
    }
    copies -= static_cast<int>(started.size());
    wait_for(started);
    for (const Started& s : started) result.push_back(verdicts(s));
  }
  return result;
}

FirstFailing Runner::first_failing(std::uint64_t key, const RunOptions& base, std::size_t batch) {
  return [this, key, options = base, batch](std::span<const Case> candidates) mutable {
    options.stop_at_key = key;
    const ImplementationInfo& judged = implementation(options.implementation);
    // A success is usually among the boldest few; the rest only confirms that nothing is left.
    if (!options.before.empty()) batch = 1;
    std::size_t step = std::min<std::size_t>(8, batch);
    for (std::size_t at = 0; at < candidates.size() && !interrupted();) {
      const auto part = candidates.subspan(at, std::min(step, candidates.size() - at));
      const auto verdicts = run_in_one_process(part, options);
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (key_of(part[i], verdicts[i], judged) == key) return static_cast<int>(at + i);
      }
      if (verdicts.empty() && (options.before.empty() || interrupted())) break;
      at += std::max<std::size_t>(verdicts.size(), 1);
      if (verdicts.size() == part.size()) step = std::min(step * 4, batch);
    }
    return -1;
  };
}

std::uint64_t key_of(const Case& c, const Verdict& verdict,
                     const ImplementationInfo& implementation) {
  return verdict.status == Status::kFinding ? shrink_key(c, verdict, implementation.name) : 0;
}

}  // namespace indexfuzz
