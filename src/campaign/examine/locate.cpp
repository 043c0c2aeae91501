#include "campaign/examine/locate.h"

#include <algorithm>
#include <vector>

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kHangInBatch{2000};

/// A case that ends its process or hangs, and the first case of that process.
struct Deadly {
  std::size_t place, begin;
  Verdict verdict;
};
/// The first of the cases that is deadly.
std::optional<Deadly> first_deadly(Runner& runner, std::span<const Case> cases,
                                   const RunOptions& options) {
  std::size_t done = 0;
  while (done < cases.size() && !runner.stops_at_pulse() && Clock::now() < options.until) {
    const auto verdicts = runner.run_in_one_process(cases.subspan(done), options);
    const auto deadly = std::ranges::find_if(verdicts, ends_process);
    if (deadly != verdicts.end())
      return Deadly{done + static_cast<std::size_t>(deadly - verdicts.begin()), done, *deadly};
    if (verdicts.empty()) break;
    done += verdicts.size();
  }
  return std::nullopt;
}

struct Called {
  std::vector<Case> cases;
  std::vector<std::uint64_t> numbers;
};
/// The batch's cases before number `end` on which one implementation was called.
Called called_by(std::uint32_t implementation, const WorkPlan& plan, const Suspect& batch,
                 std::uint64_t end) {
  Called called;
  for (const NumberedCall& call : batch.batch_calls) {
    if (call.implementation != implementation || call.case_number >= end) continue;
    // The CPU's environment breaks no GPU, and a spare has the plain one.
    called.cases.push_back(drawn_case(plan, batch.worker, call.case_number));
    called.cases.back().environment = {};
    called.numbers.push_back(call.case_number);
  }
  return called;
}

/// The first case of a batch that is deadly among the others, over all implementations.
std::optional<Suspect> first_alone(Runner& runner, const Hello& hello, const WorkPlan& plan,
                                   const Suspect& batch, bool busy, Clock::time_point until) {
  RunOptions options;
  options.until = until;
  options.timeout = plan.timeout;
  options.look_longer = false;
  // The question is which case hangs, not whether one does: a short limit suffices.
  if (batch.verdict.kind == Kind::kHang) options.timeout = std::min(options.timeout, kHangInBatch);
  std::optional<Suspect> first;
  for (std::uint32_t i = 0; i < hello.implementations.size(); ++i) {
    Called called = called_by(i, plan, batch, first ? first->case_number : batch.batch_end);
    if (busy) {
      for (Case& c : called.cases) c.gpu.side_stream = true;
    }
    options.implementation = i;
    const auto deadly = first_deadly(runner, called.cases, options);
    if (!deadly) continue;
    first = batch;
    first->c = called.cases[deadly->place];
    first->case_number = called.numbers[deadly->place];
    // What a call leaves in shared memory, for example, may be what the next one dies of.
    first->before = [cases = std::move(called.cases), begin = deadly->begin, end = deadly->place] {
      const auto at = [&](std::size_t i) { return cases.begin() + static_cast<std::ptrdiff_t>(i); };
      return std::vector<Case>(at(begin), at(end));
    };
    first->batch_end = 0;
    first->batch_calls.clear();
    first->implementation = i;
    first->verdict = deadly->verdict;
  }
  return first;
}

}  // namespace

std::optional<Suspect> locate_in_batches(Runner& runner, const Hello& hello, const WorkPlan& plan,
                                         std::span<const Suspect> batches,
                                         Clock::time_point until) {
  // In the batch the GPU was still at work on earlier calls when each was made.
  for (const bool busy : {false, true}) {
    for (const Suspect& batch : batches) {
      if (auto first = first_alone(runner, hello, plan, batch, busy, until)) return first;
    }
  }
  return std::nullopt;
}

}  // namespace indexfuzz
