#include "campaign/examine/confirm.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

// These processes run at the same time, so that they load the machine.
constexpr int kQuickProcesses = 4;
constexpr int kQuickRunsPerProcess = 250;
constexpr std::uint32_t kLeastPatientRuns = 1 << 10, kMostPatientRuns = 1 << 15;
constexpr double kPatience = 3.0, kCandidatePatience = 0.5;  // seconds
// The case that matters is mostly among the last kFewBefore; all that may be replayed take a slow
// kernel seconds in each process.
constexpr std::ptrdiff_t kFewBefore = 1024;
// A smaller case should take microseconds: one that takes this part of the limit hangs. The
// smallest is given the whole limit.
constexpr int kHangPart = 10;
// Re-runs of a hang are given this part of the limit, since they share the cores, and on a GPU each
// also costs a context. If all of them hang, the minimal case is given the whole limit once.
constexpr int kQuickHangPart = 5;
constexpr std::chrono::milliseconds kQuickHangOnGpu{2000};

void count(Confirmation& confirmation, const std::vector<Verdict>& verdicts, const Case& c,
           std::uint64_t key, const ImplementationInfo& implementation) {
  for (const Verdict& verdict : verdicts) {
    ++confirmation.runs;
    if (key_of(c, verdict, implementation) != key) continue;
    if (confirmation.failed++ == 0) confirmation.verdict = verdict;
  }
}

/// After how many right runs each of the rows failed, if that number is the same in all; else 0.
int common_right_runs(const std::vector<std::vector<Verdict>>& rows, const Case& c,
                      std::uint64_t key, const ImplementationInfo& implementation) {
  std::optional<std::ptrdiff_t> common;
  for (const auto& row : rows) {
    const auto failed = std::ranges::find_if(
        row, [&](const Verdict& verdict) { return key_of(c, verdict, implementation) == key; });
    const auto right = failed - row.begin();
    if (failed == row.end() || (common && *common != right)) return 0;
    common = right;
  }
  return rows.size() > 1 ? static_cast<int>(common.value_or(0)) : 0;
}

/// As repeats_for(), however long the runs take.
std::uint32_t wanted_repeats(const Confirmation& confirmation) {
  if (confirmation.failed >= confirmation.runs || confirmation.failed == 0) return 1;
  if (confirmation.fails_within > 0) return confirmation.fails_within;
  const double rate = static_cast<double>(confirmation.failed) / confirmation.runs;
  return static_cast<std::uint32_t>(std::ceil(3.0 / rate));
}

}  // namespace

std::uint64_t key_in(const Confirmation& confirmation, const Case& c,
                     const ImplementationInfo& implementation) {
  return confirmation.key != 0 ? confirmation.key : key_of(c, confirmation.verdict, implementation);
}

RunOptions run_options(const ExamineOptions& options, const Confirmation& confirmation) {
  RunOptions run;
  run.before = options.before;
  run.implementation = options.implementation;
  run.timeout = options.timeout;
  run.strict = options.strict;
  run.repeats = repeats_for(confirmation);
  run.warm_up = options.kind == Kind::kHang;
  run.look_longer = options.kind == Kind::kLeak || options.kind == Kind::kNondeterminism;
  run.stricter = options.kind == Kind::kInput;
  return run;
}

RunOptions candidate_options(const ExamineOptions& options, const Confirmation& confirmation) {
  RunOptions run = run_options(options, confirmation);
  if (options.kind == Kind::kHang) run.timeout /= kHangPart;
  return run;
}

ExamineOptions impatient(ExamineOptions options, bool on_gpu) {
  if (options.kind == Kind::kHang) {
    options.timeout =
        on_gpu ? std::min(options.timeout, kQuickHangOnGpu) : options.timeout / kQuickHangPart;
  }
  return options;
}

Confirmation confirm_with_few(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                              const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const RunOptions once = run_options(options, {});
  if (fresh != nullptr) {
    std::vector<Case> all = options.before;
    all.push_back(c);
    fresh->begin(std::move(all), once);
  }
  std::vector<Verdict> verdicts = runner.run_copies(c, kForks, once);
  if (fresh != nullptr) {
    const auto verdict = fresh->finish([&] { return runner.stops_at_pulse(); });
    if (verdict) verdicts.push_back(*verdict);
  }
  const bool same = std::ranges::any_of(
      verdicts, [&](const Verdict& v) { return key_of(c, v, implementation) == key; });
  if (!same) {
    const auto other = std::ranges::find_if(
        verdicts, [](const Verdict& v) { return v.status == Status::kFinding; });
    if (other != verdicts.end()) key = key_of(c, *other, implementation);
  }
  Confirmation confirmation;
  confirmation.key = key;
  count(confirmation, verdicts, c, key, implementation);
  return confirmation;
}

Confirmation confirm(Runner& runner, FreshProcess* fresh, const Case& c, std::uint64_t key,
                     const ExamineOptions& options) {
  Confirmation confirmation = confirm_with_few(runner, fresh, c, key, options);
  if (confirmation.failed > 0 || !options.before.empty()) return confirmation;

  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const auto rows =
      runner.run_rows(c, kQuickProcesses, kQuickRunsPerProcess, run_options(options, {}));
  for (const auto& row : rows) count(confirmation, row, c, confirmation.key, implementation);
  if (confirmation.failed > 0)
    confirmation.right_before = common_right_runs(rows, c, confirmation.key, implementation);
  return confirmation;
}

Confirmation confirm_after_predecessors(Runner& runner, FreshProcess* fresh, const Case& c,
                                        std::uint64_t key, ExamineOptions& options) {
  if (options.before.size() > kFewBefore) {
    ExamineOptions few = options;
    few.before.assign(options.before.end() - kFewBefore, options.before.end());
    const Confirmation behind_few = confirm(runner, nullptr, c, key, few);
    if (behind_few.failed > 0 || runner.stops_at_pulse()) {
      options.before = std::move(few.before);
      return behind_few;
    }
  }
  return confirm(runner, fresh, c, key, options);
}

int right_runs_before_failure(Runner& runner, const Case& c, std::uint64_t key,
                              const ExamineOptions& options) {
  RunOptions run = run_options(options, {});
  const auto fails_within = [&](std::uint32_t runs) {
    run.repeats = runs;
    const auto verdicts = runner.run_in_one_process({&c, 1}, run);
    return !verdicts.empty() &&
           key_of(c, verdicts.front(), runner.implementation(options.implementation)) == key;
  };
  std::uint32_t right = 0, failing = kMaxLead;
  if (!fails_within(failing)) return 0;
  while (failing - right > 1) {
    const std::uint32_t runs = (right + failing) / 2;
    (fails_within(runs) ? failing : right) = runs;
  }
  return static_cast<int>(right);
}

Confirmation confirm_patiently(Runner& runner, const Case& c, std::uint64_t key,
                               Confirmation confirmation, const ExamineOptions& options) {
  RunOptions run = run_options(options, {});
  double seconds = 0;
  for (run.repeats = kLeastPatientRuns; run.repeats <= kMostPatientRuns; run.repeats *= 2) {
    if (seconds > kPatience || runner.stops_at_pulse()) break;
    const auto begin = Clock::now();
    const auto verdicts = runner.run_copies(c, kQuickProcesses, run);
    const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
    seconds += taken;
    count(confirmation, verdicts, c, key, runner.implementation(options.implementation));
    const auto processes = static_cast<int>(verdicts.size());
    // A process in which the case failed at some time counts as one failure in run.repeats runs.
    confirmation.runs += processes * static_cast<int>(run.repeats - 1);
    if (confirmation.failed == 0) continue;
    if (confirmation.failed == processes) confirmation.fails_within = run.repeats;
    confirmation.most_repeats =
        std::clamp(static_cast<std::uint32_t>(run.repeats * kCandidatePatience / taken),
                   confirmation.most_repeats, kMostPatientRuns);
    break;
  }
  return confirmation;
}

std::uint32_t repeats_for(const Confirmation& confirmation) {
  return std::min(wanted_repeats(confirmation), confirmation.most_repeats);
}

std::uint32_t patient_repeats(const Confirmation& confirmation) {
  return std::min(wanted_repeats(confirmation), kMostPatientRuns);
}

bool fails_too_rarely(const Confirmation& confirmation) {
  return repeats_for(confirmation) < wanted_repeats(confirmation);
}

}  // namespace indexfuzz
