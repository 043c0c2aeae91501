#include "campaign/workers/runner.h"

#include <algorithm>
#include <optional>

#include "campaign/failure.h"
#include "case/bytes.h"
#include "judge/signature.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;

/// How long to wait for a message about a child. There is none about one that stays when its job is
/// done: such children are polled.
constexpr milliseconds kLook{20}, kLookAtSpares{1};

}  // namespace

Runner::Runner(ZygoteClient& zygote, SlotRange slots, bool strict, Pulse pulse)
    : zygote_(zygote), slots_(slots), strict_(strict), pulse_(std::move(pulse)) {}

Runner::Runner(ZygoteClient& zygote, Spares& spares, bool strict, Pulse pulse)
    : zygote_(zygote), spares_(&spares), strict_(strict), pulse_(std::move(pulse)) {}

std::optional<int> Runner::free_slot(const RunOptions& options) {
  if (spares_ != nullptr) return spares_->take(options.own_process);
  for (int slot = slots_.first; slot < slots_.first + slots_.count; ++slot) {
    if (zygote_.is_free(slot)) return slot;
  }
  return std::nullopt;
}

std::optional<Runner::Run> Runner::begin(std::span<const Case> cases, const RunOptions& options) {
  const auto slot = free_slot(options);
  if (!slot) return std::nullopt;
  const std::size_t size = kEncodedBytes;
  const auto lead = options.before.last(
      std::min<std::size_t>({options.before.size(), kMaxLead, kRunBytes / size - 1}));
  const auto capacity = std::min<std::size_t>(kMaxRunCases, kRunBytes / size - lead.size());
  cases = cases.first(std::min(cases.size(), capacity));
  // A process has one environment, except that the cases before the first have their own threads.
  const auto other = std::ranges::find_if(
      cases, [&](const Case& c) { return c.environment != cases.front().environment; });
  cases = cases.first(static_cast<std::size_t>(other - cases.begin()));
  Slot& s = zygote_.slot(*slot);
  s.job = Job{};
  s.job.type = Job::Type::kRun;
  s.job.strict = strict_ || options.strict;
  s.job.environment = cases.front().environment;
  s.job.implementation = options.implementation;
  s.job.lead_count = static_cast<std::uint32_t>(lead.size());
  s.job.case_count = static_cast<std::uint32_t>(lead.size() + cases.size());
  s.job.repeats = std::max(1u, options.repeats);
  s.job.stop_at_key = options.stop_at_key;
  s.job.look_longer = options.look_longer;
  s.job.stricter = options.stricter;
  s.job.keep_returned = options.returned != nullptr;
  s.returned.bytes = 0;
  s.job.warm_up = options.warm_up;
  s.job.without_base = options.without_base;
  s.job.by_aten = options.by_aten;
  s.job.stays = spares_ != nullptr;
  s.run_size = (lead.size() + cases.size()) * size;
  std::byte* to = s.run_bytes;
  for (const auto& part : {lead, cases}) {
    for (const Case& c : part) {
      encode(c, to);
      to += size;
    }
  }
  zygote_.start(*slot);
  Run run;
  run.slot = *slot;
  run.cases = cases;
  run.timeout = options.timeout;
  run.until = options.until;
  return run;
}

/// Starts the run's job once more, which the slot still holds.
void Runner::start_again(Run& run) {
  run.status.reset();
  run.watch.reset();
  zygote_.start(run.slot);
}

/// Waits until the run's child, which could not use the GPU, may be started again, or the pulse is
/// true. Nothing else is begun in its slot meanwhile.
void Runner::wait_for_gpu(Run& run) {
  using Clock = std::chrono::steady_clock;
  run.gpu.failed(zygote_.slot(run.slot), Clock::now());
  while (run.gpu.waits(Clock::now()) && !(run.given_up = stops_at_pulse())) zygote_.receive(kLook);
}

/// Whether a run that was under way has ended.
bool Runner::look_at(Run& run) {
  if ((run.status = zygote_.take_ended(run.slot))) {
    if (device_unusable(zygote_.slot(run.slot), *run.status)) {
      wait_for_gpu(run);
      if (run.given_up) return true;
    } else if (zygote_.was_lost(run.slot) && !run.again) {
      run.again = true;
    } else {
      return true;
    }
    start_again(run);
    return false;
  }
  run.given_up = stops_at_pulse() || std::chrono::steady_clock::now() >= run.until;
  if (run.given_up || hangs(zygote_, run.slot, run.watch, run.timeout)) {
    run.hung = !run.given_up;
    zygote_.kill(run.slot);
    run.status = zygote_.take_ended(run.slot);
    return true;
  }
  return false;
}

bool Runner::ended(Run& run) {
  if (run.status) return true;
  if (!look_at(run)) return false;
  if (spares_ != nullptr) spares_->give_back(run.slot);
  return true;
}

Verdict Runner::verdict_of_end(const Run& run, const Case& c) const {
  return run.hung ? verdict_of_hang(c, run.timeout)
                  : verdict_of_death(c, zygote_.slot(run.slot), *run.status);
}

std::vector<Verdict> Runner::verdicts(const Run& run) const {
  const Slot& slot = zygote_.slot(run.slot);
  std::vector<Verdict> result;
  const auto completed = std::min<std::size_t>(slot.completed.load(), run.cases.size());
  for (std::size_t i = 0; i < completed; ++i)
    result.push_back(sound(slot.results[i].verdict, run.cases[i].operands.size()));
  if (run.status && ended_well(slot, *run.status)) return result;
  if (result.size() == run.cases.size()) {
    // It died after its last call: what that call broke is noticed when the process is torn down.
    if (!result.empty() && result.back().status != Status::kFinding && !run.given_up) {
      result.back() = verdict_of_end(run, run.cases.back());
    }
    return result;
  }
  if (run.given_up || slot.case_number.load() < slot.job.lead_count) return result;
  if (slot.unjudged.load() == Unjudged::kBlank) {
    // What ended the process was not the call that was to be judged.
    Verdict untold;
    untold.status = Status::kRefused;
    result.push_back(untold);
  } else {
    result.push_back(verdict_of_end(run, run.cases[result.size()]));
  }
  return result;
}

std::vector<Verdict> Runner::run_in_one_process(std::span<const Case> cases,
                                                const RunOptions& options) {
  if (cases.empty()) return {};
  std::optional<Run> run;
  while (!stops_at_pulse()) {
    if (!run) run = begin(cases, options);
    if (run && ended(*run)) break;
    zygote_.receive(spares_ != nullptr ? kLookAtSpares : kLook);
  }
  if (!run) return {};
  // One that was lost is begun again even now, and given up at the next look.
  while (!ended(*run)) zygote_.receive(kLook);
  if (options.returned != nullptr) *options.returned = zygote_.slot(run->slot).returned;
  return verdicts(*run);
}

std::optional<Verdict> Runner::run_sequence(std::span<const Case> cases, RunOptions options) {
  options.before = cases.first(cases.size() - 1);
  const auto verdicts = run_in_one_process(cases.last(1), options);
  return verdicts.empty() ? std::nullopt : std::optional(verdicts.front());
}

std::vector<Verdict> Runner::run_copies(const Case& c, int copies, const RunOptions& options) {
  std::vector<Verdict> result;
  for (const auto& row : run_rows(c, copies, 1, options))
    result.insert(result.end(), row.begin(), row.end());
  return result;
}

std::vector<std::vector<Verdict>> Runner::run_apart(std::span<const Sequence> sequences,
                                                    RunOptions options) {
  std::vector<std::vector<Verdict>> result(sequences.size());
  struct UnderWay {
    Run run;
    std::size_t sequence;
  };
  std::vector<UnderWay> under_way;
  std::size_t next = 0;
  while (next < sequences.size() || !under_way.empty()) {
    while (next < sequences.size() && !stops_at_pulse()) {
      options.before = sequences[next].before;
      auto run = begin(sequences[next].judged, options);
      if (!run) break;
      under_way.push_back({std::move(*run), next++});
    }
    std::erase_if(under_way, [&](UnderWay& one) {
      if (!ended(one.run)) return false;
      result[one.sequence] = verdicts(one.run);
      return true;
    });
    if (stops_at_pulse() && under_way.empty()) break;
    if (next < sequences.size() || !under_way.empty())
      zygote_.receive(spares_ != nullptr ? kLookAtSpares : kLook);
  }
  return result;
}

int Runner::first_failing_apart(std::uint64_t key, std::span<const Sequence> sequences,
                                const RunOptions& options) {
  const ImplementationInfo& judged = implementation(options.implementation);
  const auto rows = run_apart(sequences, options);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      if (key_of(sequences[i].judged[k], rows[i][k], judged) == key) return static_cast<int>(i);
    }
  }
  return -1;
}

std::vector<std::vector<Verdict>> Runner::run_rows(const Case& c, int copies, int times,
                                                   const RunOptions& options) {
  const std::vector<Case> row(static_cast<std::size_t>(times), c);
  const std::vector<Sequence> all(static_cast<std::size_t>(copies), {options.before, row});
  return run_apart(all, options);
}

FirstFailing Runner::first_failing(std::uint64_t key, const RunOptions& base) {
  if (!base.before.empty()) {
    return [this, key, base](std::span<const Case> candidates) {
      std::vector<Sequence> sequences;
      for (std::size_t i = 0; i < candidates.size(); ++i)
        sequences.push_back({base.before, candidates.subspan(i, 1)});
      return first_failing_apart(key, sequences, base);
    };
  }
  return [this, key, options = base](std::span<const Case> candidates) mutable {
    options.stop_at_key = key;
    const ImplementationInfo& judged = implementation(options.implementation);
    // A success is usually among the boldest few; the rest only confirms that nothing is left.
    constexpr std::size_t kMostAtOnce = 256;
    std::size_t step = 8;
    for (std::size_t at = 0; at < candidates.size() && !stops_at_pulse();) {
      const auto part = candidates.subspan(at, std::min(step, candidates.size() - at));
      const auto verdicts = run_in_one_process(part, options);
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (key_of(part[i], verdicts[i], judged) == key) return static_cast<int>(at + i);
      }
      if (verdicts.empty()) break;
      at += verdicts.size();
      if (verdicts.size() == part.size()) step = std::min(step * 4, kMostAtOnce);
    }
    return -1;
  };
}

std::uint64_t key_of(const Case& c, const Verdict& verdict,
                     const ImplementationInfo& implementation) {
  return verdict.status == Status::kFinding ? shrink_key(c, verdict, implementation.name) : 0;
}

}  // namespace indexfuzz
