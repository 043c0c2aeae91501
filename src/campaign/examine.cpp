#include "campaign/examine.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "judge/signature.h"
#include "ops/operator.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kForks = 9;
constexpr int kQuickRuns = 1000;
constexpr int kQuickRunsPerProcess = 250;
constexpr std::uint32_t kMostRepeats = 300;
// A smaller case that takes this long where the whole of it should take microseconds hangs.
constexpr milliseconds kHangWhileShrinking{1000};

RunOptions run_options(const ExamineOptions& options, const Confirmation& confirmation) {
  RunOptions run;
  run.implementation = options.implementation;
  run.timeout = options.timeout;
  run.repeats = repeats_for(confirmation);
  return run;
}

void count(Confirmation& confirmation, const std::vector<Verdict>& verdicts, const Case& c,
           std::uint64_t key, const ImplementationInfo& implementation) {
  for (const Verdict& verdict : verdicts) {
    ++confirmation.runs;
    if (key_of(c, verdict, implementation) != key) continue;
    if (confirmation.failed++ == 0) confirmation.verdict = verdict;
  }
}

/// A verdict names an operand by its number, which a smaller case may have given to another one.
std::uint64_t key_in(const Confirmation& confirmation, const Case& c,
                     const ImplementationInfo& implementation) {
  return confirmation.key != 0 ? confirmation.key : key_of(c, confirmation.verdict, implementation);
}

bool still_fails(Runner& runner, const Case& c, std::uint64_t key, const RunOptions& options) {
  return runner.first_failing(key, options)(std::span<const Case>(&c, 1)) == 0;
}

}  // namespace

Confirmation confirm(Runner& runner, const FreshRun& fresh, const Case& c, std::uint64_t key,
                     const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const RunOptions once = run_options(options, {});
  std::vector<Verdict> verdicts = runner.run_copies(c, kForks, once);
  if (const auto verdict = fresh ? fresh(c, once) : std::nullopt) verdicts.push_back(*verdict);
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
  if (confirmation.failed > 0) return confirmation;

  const std::vector<Case> copies(kQuickRunsPerProcess, c);
  while (confirmation.runs < kQuickRuns && !runner.interrupted()) {
    const auto more = runner.run_all(copies, once);
    if (more.empty()) break;
    count(confirmation, more, c, key, implementation);
  }
  return confirmation;
}

std::uint32_t repeats_for(const Confirmation& confirmation) {
  if (confirmation.failed >= confirmation.runs || confirmation.failed == 0) return 1;
  const double rate = static_cast<double>(confirmation.failed) / confirmation.runs;
  return std::min(kMostRepeats, static_cast<std::uint32_t>(std::ceil(3.0 / rate)));
}

Case shrink_failure(Runner& runner, const Case& c, const Confirmation& confirmation,
                    const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, c, implementation);
  const RunOptions whole = run_options(options, confirmation);
  RunOptions candidate = whole;
  if (confirmation.verdict.kind == Kind::kHang) {
    candidate.timeout = std::min(candidate.timeout, kHangWhileShrinking);
  }
  const auto limit = Clock::now() + options.shrink_limit;
  // A case that fails only after others of its batch is no failure of its own: then one at a time.
  for (const std::size_t batch : {std::size_t{256}, std::size_t{1}}) {
    const FirstFailing run = runner.first_failing(key, candidate, batch);
    const Case minimal = shrink(c, options.limits, [&](std::span<const Case> candidates) {
      return Clock::now() > limit ? -1 : run(candidates);
    });
    if (minimal == c || runner.interrupted() || still_fails(runner, minimal, key, whole))
      return minimal;
  }
  return c;
}

TraitSet essential_traits(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                          const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, minimal, implementation);
  RunOptions run = run_options(options, confirmation);
  if (confirmation.verdict.kind == Kind::kHang)
    run.timeout = std::min(run.timeout, kHangWhileShrinking);
  TraitSet essential;
  for (const Trait trait : traits(minimal)) {
    Case plain = reset(minimal, trait);
    repair(plain, options.limits);
    // What cannot be taken away alone tells nothing.
    if (includes(traits(plain), TraitSet{trait})) continue;
    if (runner.interrupted()) break;
    if (!still_fails(runner, plain, key, run)) essential.push_back(trait);
  }
  return essential;
}

Verdict verdict_on(Runner& runner, const Case& c, const Confirmation& confirmation,
                   const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, c, implementation);
  const auto verdicts =
      runner.run_in_one_process(std::span<const Case>(&c, 1), run_options(options, confirmation));
  const bool same = !verdicts.empty() && key_of(c, verdicts.front(), implementation) == key;
  return same ? verdicts.front() : confirmation.verdict;
}

}  // namespace indexfuzz
