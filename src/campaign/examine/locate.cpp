#include "campaign/examine/locate.h"

#include <span>
#include <utility>
#include <vector>

#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr std::chrono::milliseconds kHangInBatch{2000};

/// The first failing case on one implementation.
std::optional<std::size_t> first_finding(Runner& runner, std::span<const Case> cases,
                                         const RunOptions& options, Verdict& verdict) {
  std::size_t done = 0;
  while (done < cases.size() && !runner.interrupted()) {
    const auto verdicts = runner.run_in_one_process(cases.subspan(done), options);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i].status != Status::kFinding) continue;
      verdict = verdicts[i];
      return done + i;
    }
    if (verdicts.empty()) break;
    done += verdicts.size();
  }
  return std::nullopt;
}

/// The cases that a batch's worker has called on GPUs.
struct Called {
  std::vector<Case> cases;
  std::vector<std::uint64_t> numbers;
};
Called called_in(const WorkPlan& plan, const Suspect& batch) {
  Called called;
  for (std::uint64_t number = batch.case_number; number < batch.batch_end; ++number) {
    Case c = drawn_case(plan, batch.worker, number);
    if (ends_gpu_context(c)) continue;
    // The CPU's part of it breaks no GPU, and a spare has the plain one.
    c.environment = {};
    called.cases.push_back(std::move(c));
    called.numbers.push_back(number);
  }
  return called;
}

/// The first of them that fails alone, of all implementations.
std::optional<Suspect> first_alone(Runner& runner, const Hello& hello, Called called,
                                   RunOptions options, const Suspect& batch) {
  std::optional<Suspect> first;
  for (std::uint32_t i = 0; i < hello.implementations.size(); ++i) {
    if (!hello.implementations[i].on_gpu()) continue;
    options.implementation = i;
    Verdict verdict;
    const auto place = first_finding(runner, called.cases, options, verdict);
    if (!place) continue;
    first = batch;
    first->c = called.cases[*place];
    first->case_number = called.numbers[*place];
    first->batch_end = 0;
    first->implementation = i;
    first->verdict = verdict;
    // What comes behind it need not be looked at on the others.
    called.cases.resize(*place);
  }
  return first;
}

}  // namespace

std::optional<Suspect> locate_in_batches(Runner& runner, const Hello& hello, const WorkPlan& plan,
                                         std::span<const Suspect> batches) {
  for (const bool busy : {false, true}) {
    for (const Suspect& batch : batches) {
      Called called = called_in(plan, batch);
      // In the batch the GPU was still at work on earlier calls when each was made.
      if (busy) {
        for (Case& c : called.cases) c.gpu.side_stream = true;
      }
      RunOptions options;
      options.timeout = plan.timeout;
      options.look_longer = false;
      // It is asked which case it is, not whether it hangs.
      if (batch.verdict.kind == Kind::kHang)
        options.timeout = std::min(options.timeout, kHangInBatch);
      if (auto first = first_alone(runner, hello, std::move(called), options, batch)) return first;
    }
  }
  return std::nullopt;
}

}  // namespace indexfuzz
