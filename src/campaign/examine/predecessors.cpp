#include "campaign/examine/predecessors.h"

#include <algorithm>
#include <chrono>

#include "ops/operator.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

// So many are worth a shrinking each; more of them are mostly there to be counted.
constexpr std::size_t kShrunkEach = 8;
// Each takes a process and all cases before it.
constexpr std::uint32_t kMostTries = 10;
// Of shrinking them and the judged case together.
constexpr int kRounds = 3;

/// Whether the case fails behind other cases, until the time is up.
class Behind {
 public:
  Behind(Runner& runner, const Confirmation& confirmation, const ExamineOptions& options)
      : runner_(runner),
        key_(confirmation.key),
        run_(candidate_options(options, confirmation)),
        tries_(std::min(kMostTries, run_.repeats)),
        limit_(Clock::now() + options.shrink_limit) {
    run_.repeats = 1;
  }

  bool fails(const std::vector<Case>& before, const Case& c) {
    run_.before = before;
    for (std::uint32_t i = 0; i < tries_ && !is_over(); ++i) {
      const auto verdicts = runner_.run_in_one_process({&c, 1}, run_);
      const ImplementationInfo& judged = runner_.implementation(run_.implementation);
      if (!verdicts.empty() && key_of(c, verdicts.front(), judged) == key_) return true;
    }
    return false;
  }
  bool is_over() const { return runner_.interrupted() || Clock::now() > limit_; }

 private:
  Runner& runner_;
  std::uint64_t key_;
  RunOptions run_;
  std::uint32_t tries_;
  Clock::time_point limit_;
};

std::vector<Case> without(const std::vector<Case>& all, std::size_t begin, std::size_t count) {
  std::vector<Case> rest(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(begin + count), all.end());
  return rest;
}

/// The fewest of `options.before`, in their order, behind which the case still fails.
std::vector<Case> fewest_before(Runner& runner, const Case& c, const Confirmation& confirmation,
                                const ExamineOptions& options) {
  Behind behind(runner, confirmation, options);
  std::vector<Case> before = options.before;
  // Mostly it is one of the last.
  for (std::size_t last = 1; last < before.size(); last *= 2) {
    std::vector<Case> few = without(before, 0, before.size() - last);
    if (behind.fails(few, c)) {
      before = std::move(few);
      break;
    }
  }
  const auto drop_chunks = [&](std::size_t chunk) {
    bool dropped = false;
    for (std::size_t begin = 0; begin + chunk <= before.size() && !behind.is_over();) {
      std::vector<Case> rest = without(before, begin, chunk);
      if (behind.fails(rest, c)) {
        before = std::move(rest);
        dropped = true;
      } else {
        begin += chunk;
      }
    }
    return dropped;
  };
  for (std::size_t chunk = before.size() / 2; chunk > 1; chunk /= 2) drop_chunks(chunk);
  while (drop_chunks(1)) {
  }
  return before;
}

/// `options.before` with each case as plain as it may be: the judged case itself, or its own
/// smallest form. Their number stays.
std::vector<Case> plainest_before(Runner& runner, const Case& c, const Confirmation& confirmation,
                                  const ExamineOptions& options) {
  Behind behind(runner, confirmation, options);
  std::vector<Case> before = options.before;
  if (std::vector<Case> same(before.size(), c); behind.fails(same, c)) return same;
  if (before.size() > kShrunkEach) return before;
  for (Case& one : before) {
    const Case kept = one;
    one = c;
    if (behind.fails(before, c)) continue;
    one = kept;
    const Case smallest =
        shrink(kept, options.limits, [&](std::span<const Case> candidates) -> int {
          for (std::size_t i = 0; i < candidates.size() && !behind.is_over(); ++i) {
            one = candidates[i];
            if (behind.fails(before, c)) return static_cast<int>(i);
          }
          return -1;
        });
    one = smallest;
  }
  return before;
}

/// An earlier case in the form of the judged one, but for what its operands hold.
Case in_the_form_of(const Case& judged, const Case& earlier, const Limits& limits) {
  Case c = judged;
  c.breaks = earlier.breaks;
  c.environment.threads = earlier.environment.threads;
  for (std::size_t k = 0; k < c.operands.size(); ++k) c.operands[k].fill = earlier.operands[k].fill;
  repair(c, limits);
  return c;
}

/// Makes judged and earlier cases smaller together: what is kept by their shape must have one
/// shape.
void shrink_together(Runner& runner, std::vector<Case>& before, Case& judged,
                     const Confirmation& confirmation, const ExamineOptions& options) {
  const bool alike = std::ranges::all_of(before, [&](const Case& c) {
    return c.op == judged.op && c.overload == judged.overload && c.variant == judged.variant &&
           c.operands.size() == judged.operands.size();
  });
  if (!alike || before.size() > kShrunkEach) return;
  Behind behind(runner, confirmation, options);
  judged = shrink(judged, options.limits, [&](std::span<const Case> candidates) -> int {
    for (std::size_t i = 0; i < candidates.size() && !behind.is_over(); ++i) {
      if (candidates[i].operands.size() != judged.operands.size()) continue;
      std::vector<Case> together = before;
      for (Case& c : together) c = in_the_form_of(candidates[i], c, options.limits);
      if (!behind.fails(together, candidates[i])) continue;
      before = std::move(together);
      return static_cast<int>(i);
    }
    return -1;
  });
}

}  // namespace

std::vector<Case> shrink_sequence(Runner& runner, const Case& c, const Confirmation& confirmation,
                                  ExamineOptions options) {
  // One limit for all steps: each that fails of a hang takes its time.
  const auto limit = Clock::now() + options.shrink_limit;
  const auto with_time_left = [&]() -> const ExamineOptions& {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(limit - Clock::now());
    options.shrink_limit = std::max(left, std::chrono::seconds{0});
    return options;
  };
  if (!options.before.empty())
    options.before = fewest_before(runner, c, confirmation, with_time_left());
  Case minimal = shrink_failure(runner, c, confirmation, with_time_left());
  // Plainer predecessors let all of them shrink further.
  for (int round = 0; round < kRounds && !options.before.empty(); ++round) {
    const Case last = minimal;
    const std::vector<Case> before = options.before;
    shrink_together(runner, options.before, minimal, confirmation, with_time_left());
    minimal = shrink_failure(runner, minimal, confirmation, with_time_left());
    options.before = plainest_before(runner, minimal, confirmation, with_time_left());
    if (minimal == last && options.before == before) break;
  }
  std::vector<Case> all = std::move(options.before);
  for (Case& one : all) one.environment.capability = minimal.environment.capability;
  all.push_back(minimal);
  return all;
}

}  // namespace indexfuzz
