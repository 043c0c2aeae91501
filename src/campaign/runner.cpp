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
  const auto capacity = std::min<std::size_t>(kMaxRunCases, kRunBytes / size);
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
  s.job.case_count = static_cast<std::uint32_t>(cases.size());
  s.job.repeats = std::max(1u, options.repeats);
  s.job.stop_at_key = options.stop_at_key;
  s.run_size = cases.size() * size;
  for (std::size_t i = 0; i < cases.size(); ++i) encode(cases[i], s.run_bytes + i * size);
  zygote_.start(slot);
  return {slot, cases, options.timeout, {}, false, std::nullopt};
}

bool Runner::finished(Started& started) {
  if (started.status) return true;
  if ((started.status = zygote_.take_ended(started.slot))) return true;
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
  if (started.status && ended_well(*started.status)) return result;
  if (result.size() == started.cases.size()) {
    // It died after its last call: what that call broke is noticed when the process is torn down.
    if (!result.empty() && result.back().status != Status::kFinding && !interrupted()) {
      result.back() = verdict_of_death(started.cases.back(), slot, *started.status);
    }
    return result;
  }
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

std::vector<Verdict> Runner::run_all(std::span<const Case> cases, const RunOptions& options) {
  std::vector<Verdict> result;
  while (result.size() < cases.size() && !interrupted()) {
    const auto more = run_in_one_process(cases.subspan(result.size()), options);
    if (more.empty()) break;
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

std::vector<Verdict> Runner::run_copies(const Case& c, int copies, const RunOptions& options) {
  std::vector<Verdict> result;
  const std::span<const Case> one(&c, 1);
  while (copies > 0 && !interrupted()) {
    std::vector<Started> started;
    for (int i = 0; i < std::min(copies, slot_count_); ++i) {
      started.push_back(begin(first_slot_ + i, one, options));
    }
    copies -= static_cast<int>(started.size());
    while (true) {
      std::size_t done = 0;
      for (Started& s : started) done += finished(s) ? 1 : 0;
      if (done == started.size()) break;
      zygote_.receive(milliseconds(20));
    }
    for (const Started& s : started) {
      const auto verdict = verdicts(s);
      result.insert(result.end(), verdict.begin(), verdict.end());
    }
  }
  return result;
}

FirstFailing Runner::first_failing(std::uint64_t key, const RunOptions& base, std::size_t batch) {
  return [this, key, options = base, batch](std::span<const Case> candidates) mutable {
    options.stop_at_key = key;
    const ImplementationInfo& judged = implementation(options.implementation);
    // A success is usually among the boldest few; the rest only confirms that nothing is left.
    std::size_t step = std::min<std::size_t>(8, batch);
    for (std::size_t at = 0; at < candidates.size() && !interrupted();) {
      const auto part = candidates.subspan(at, std::min(step, candidates.size() - at));
      const auto verdicts = run_in_one_process(part, options);
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (key_of(part[i], verdicts[i], judged) == key) return static_cast<int>(at + i);
      }
      if (verdicts.empty()) break;
      at += verdicts.size();
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
