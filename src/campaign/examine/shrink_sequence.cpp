#include "campaign/examine/shrink_sequence.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "ops/definition/operator.h"
#include "ops/repair/other_calls.h"
#include "ops/repair/repair.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

// Up to this many earlier cases are each worth shrinking; of more, mostly only the number matters.
constexpr std::size_t kShrunkEach = 8;
// Each try takes a process that runs all cases before it.
constexpr std::uint32_t kMostTries = 10;
// Rounds of shrinking the earlier cases and the judged one together.
constexpr int kRounds = 3;
// The time for shrinking on a GPU, where a process takes a third of a second to start.
constexpr std::chrono::seconds kPatienceOnGpu{40};

/// Finds out which cases fail after other cases, until the time is up.
class Behind {
 public:
  /// Cases that run in one process, the last of which is judged.
  using Cases = std::vector<Case>;

  Behind(Runner& runner, const Confirmation& confirmation, const ExamineOptions& options)
      : runner_(runner),
        key_(confirmation.key),
        run_(candidate_options(options, confirmation)),
        tries_(std::min(kMostTries, run_.repeats)),
        limit_(Clock::now() + options.shrink_limit) {
    run_.repeats = 1;
  }

  bool fails(Cases before, const Case& c) {
    before.push_back(c);
    return first_failing(1, [&](std::size_t) { return before; }) == 0;
  }
  /// The index of one of the first of `count` sequences that fail, or -1. `make` makes them.
  int first_failing(std::size_t count, const std::function<Cases(std::size_t)>& make) {
    for (std::size_t at = 0; at < count; at += kApartAtATime) {
      std::vector<Cases> few;
      for (std::size_t i = at; i < std::min(count, at + kApartAtATime); ++i) few.push_back(make(i));
      std::vector<Sequence> sequences;
      for (const Cases& cases : few) {
        const std::span<const Case> all = cases;
        sequences.push_back({all.first(all.size() - 1), all.last(1)});
      }
      for (std::uint32_t i = 0; i < tries_; ++i) {
        if (is_over()) return -1;
        const int failing = runner_.first_failing_apart(key_, sequences, run_);
        if (failing >= 0) return static_cast<int>(at) + failing;
      }
    }
    return -1;
  }
  bool is_over() const { return runner_.stops_at_pulse() || Clock::now() > limit_; }

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

/// The fewest cases of `options.before`, in their order, after which the case still fails.
std::vector<Case> fewest_before(Runner& runner, const Case& c, const Confirmation& confirmation,
                                const ExamineOptions& options) {
  Behind behind(runner, confirmation, options);
  std::vector<Case> before = options.before;
  // Mostly one of the last cases is the one that matters.
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

/// The plainest case of the same form and environment.
Case plainest_like(const Case& c, const Limits& limits) {
  Case plain = plainest_case(c.op, c.overload, c.variant);
  plain.environment = c.environment;
  repair(plain, limits);
  return plain;
}

bool are_plainest(const std::vector<Case>& cases, const Limits& limits) {
  return std::ranges::all_of(cases, [&](const Case& c) { return c == plainest_like(c, limits); });
}

/// The plainest cases of the same forms as `options.before` if `c` fails after them, too; else
/// `options.before` itself.
std::vector<Case> plainest_if_they_do(Runner& runner, const Case& c,
                                      const Confirmation& confirmation,
                                      const ExamineOptions& options) {
  std::vector<Case> plain;
  for (const Case& one : options.before) plain.push_back(plainest_like(one, options.limits));
  return Behind(runner, confirmation, options).fails(plain, c) ? plain : options.before;
}

/// `options.before` with each case made as plain as possible: replaced by the judged case or by the
/// plainest case of its form, or made legal and shrunk. Their number stays.
std::vector<Case> plainest_before(Runner& runner, const Case& c, const Confirmation& confirmation,
                                  const ExamineOptions& options) {
  Behind behind(runner, confirmation, options);
  std::vector<Case> before = options.before;
  if (std::vector<Case> same(before.size(), c); behind.fails(same, c)) return same;
  if (before.size() > kShrunkEach) return before;
  for (std::size_t at = 0; at < before.size(); ++at) {
    const auto fails_with = [&](const Case& one) {
      std::vector<Case> others = before;
      others[at] = one;
      return behind.fails(others, c);
    };
    const auto simplest = [&] {
      if (fails_with(c)) return c;
      if (const Case plain = plainest_like(before[at], options.limits); fails_with(plain))
        return plain;
      // A rule that need not be broken would look like the cause.
      Case legal = before[at];
      legal.breaks = 0;
      const bool to_be_legal = before[at].breaks != 0 && fails_with(legal);
      return shrink(to_be_legal ? legal : before[at], options.limits,
                    [&](std::span<const Case> candidates) {
                      return behind.first_failing(candidates.size(), [&](std::size_t i) {
                        std::vector<Case> all = before;
                        all[at] = candidates[i];
                        all.push_back(c);
                        return all;
                      });
                    });
    };
    before[at] = simplest();
  }
  return before;
}

bool lies_otherwise(const Operand& a, const Operand& b) {
  return a.layout != b.layout && a.shape.size() == b.shape.size();
}

/// The judged case with an earlier case's fills, threads and broken rule and, with `own_layouts`,
/// its layouts.
Case in_the_form_of(const Case& judged, const Case& earlier, bool own_layouts,
                    const Limits& limits) {
  Case c = judged;
  c.breaks = earlier.breaks;
  c.environment.threads = earlier.environment.threads;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    operand.fill = earlier.operands[k].fill;
    if (own_layouts && lies_otherwise(operand, earlier.operands[k]))
      operand.layout = earlier.operands[k].layout;
  }
  repair(c, limits);
  return c;
}

/// Whether all earlier cases are the judged one, apart from fills, threads and broken rules.
bool are_twins(const std::vector<Case>& before, const Case& judged, const Limits& limits) {
  return std::ranges::all_of(before, [&](const Case& c) {
    return c.operands.size() == judged.operands.size() &&
           c == in_the_form_of(judged, c, false, limits);
  });
}

/// Shrinks the judged and the earlier cases together: if a kernel keeps something by shape, their
/// shapes must stay the same.
void shrink_together(Runner& runner, std::vector<Case>& before, Case& judged,
                     const Confirmation& confirmation, const ExamineOptions& options) {
  const bool of_one_form = std::ranges::all_of(before, [&](const Case& c) {
    return c.op == judged.op && c.overload == judged.overload && c.variant == judged.variant &&
           c.operands.size() == judged.operands.size();
  });
  if (!of_one_form || before.size() > kShrunkEach) return;
  Behind behind(runner, confirmation, options);
  judged = shrink(judged, options.limits, [&](std::span<const Case> candidates) {
    struct Attempt {
      std::size_t candidate;
      bool own_layouts;
    };
    const bool some_lie_otherwise = std::ranges::any_of(before, [&](const Case& c) {
      return !std::ranges::equal(c.operands, judged.operands, std::not_fn(lies_otherwise));
    });
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].operands.size() != judged.operands.size()) continue;
      attempts.push_back({i, false});
      if (some_lie_otherwise) attempts.push_back({i, true});
    }
    const auto together = [&](std::size_t v) {
      const Case& candidate = candidates[attempts[v].candidate];
      std::vector<Case> all = before;
      for (Case& c : all) c = in_the_form_of(candidate, c, attempts[v].own_layouts, options.limits);
      all.push_back(candidate);
      return all;
    };
    const int failing = behind.first_failing(attempts.size(), together);
    if (failing < 0) return -1;
    before = together(static_cast<std::size_t>(failing));
    before.pop_back();
    return static_cast<int>(attempts[static_cast<std::size_t>(failing)].candidate);
  });
}

}  // namespace

std::vector<Case> shrink_sequence(Runner& runner, const Case& c, const Confirmation& confirmation,
                                  ExamineOptions options) {
  const bool takes_processes = !options.before.empty() || options.kind == Kind::kHang;
  if (takes_processes && runner.implementation(options.implementation).on_gpu())
    options.shrink_limit = std::min(options.shrink_limit, kPatienceOnGpu);
  // One limit for all steps, since each candidate that hangs takes its time.
  const auto limit = Clock::now() + options.shrink_limit;
  const auto with_time_left = [&]() -> const ExamineOptions& {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(limit - Clock::now());
    options.shrink_limit = std::max(left, std::chrono::seconds{0});
    return options;
  };
  if (!options.before.empty()) {
    options.before = fewest_before(runner, c, confirmation, with_time_left());
    options.before = plainest_if_they_do(runner, c, confirmation, with_time_left());
  }
  Case minimal = c;
  // Shrunk alone, the judged case would differ from its twins with every step.
  if (!options.before.empty() && are_twins(options.before, minimal, options.limits))
    shrink_together(runner, options.before, minimal, confirmation, with_time_left());
  minimal = shrink_failure(runner, minimal, confirmation, with_time_left());
  // Plainer predecessors let all of them shrink further.
  for (int round = 0; round < kRounds && !are_plainest(options.before, options.limits); ++round) {
    const Case last = minimal;
    const std::vector<Case> before = options.before;
    const auto unchanged = [&] { return minimal == last && options.before == before; };
    shrink_together(runner, options.before, minimal, confirmation, with_time_left());
    if (round > 0 || !unchanged())
      minimal = shrink_failure(runner, minimal, confirmation, with_time_left());
    if (round > 0 && unchanged()) break;
    options.before = plainest_before(runner, minimal, confirmation, with_time_left());
    if (unchanged()) break;
  }
  std::vector<Case> all = std::move(options.before);
  for (Case& one : all) one.environment.capability = minimal.environment.capability;
  all.push_back(minimal);
  return all;
}

}  // namespace indexfuzz
