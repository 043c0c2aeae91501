#include "campaign/workers/work_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "campaign/failure.h"
#include "ops/contract/keeps.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

constexpr int kUnderMps = 8;
/// Cases that are drawn in search of one within a contract.
constexpr std::uint64_t kMostTried = 2048;

}  // namespace

int gpu_lanes(int gpu_jobs, int host_jobs) {
  // As many threads again draw and lay out cases, and some processors are left to the system.
  const int free = static_cast<int>(std::thread::hardware_concurrency()) - host_jobs;
  return std::clamp(free * 3 / 8 / std::max(1, gpu_jobs), 1, kMaxGpuLanes);
}

int gpu_jobs(const CampaignOptions& options, const Hello& hello) {
  const auto gpus = static_cast<int>(gpus_of(hello).size());
  if (gpus == 0 || options.jobs_named) return gpus == 0 ? 0 : options.jobs;
  return std::min(options.jobs, options.mps ? kUnderMps : gpus);
}

namespace {

/// How many jobs besides `gpu_jobs` call what is on the CPU. Unless the user says how many there
/// are, half of the processors are left to what a GPU needs.
int host_jobs(const CampaignOptions& options, int gpu_jobs) {
  const bool calls_gpus =
      options.engines == Engines::kProperty || options.engines == Engines::kBoth;
  if (gpu_jobs == 0 || options.jobs_named || !calls_gpus) return options.jobs - gpu_jobs;
  return std::min(std::max(options.jobs / 2, 1), options.jobs - gpu_jobs);
}

/// Throws SetupError if no case of the plan's targets lies within the contract.
void require_case_within_contract(const WorkPlan& plan) {
  if (plan.limits.contract == nullptr) return;
  Case c;
  std::optional<Breach> breach;
  for (std::uint64_t number = 0; number < kMostTried; ++number) {
    draw_case(0, 0, number, plan.targets, plan.limits, c);
    c.breaks = 0;
    breach = first_breach(*plan.limits.contract, c);
    if (!breach) return;
  }
  throw SetupError(
      fmt::format("the contract leaves nothing to call the kernel with: {} does not keep its term "
                  "about the {} in any case that was tried; make that term wider.",
                  operator_of(c).name, describe(*breach, c)));
}

}  // namespace

WorkPlan work_plan(const CampaignOptions& options, const Hello& hello,
                   const CoverageCorpus& corpus) {
  WorkPlan plan;
  plan.corpus = &corpus;
  plan.gpu_jobs = gpu_jobs(options, hello);
  const bool all_on_gpus = std::ranges::all_of(hello.implementations, &ImplementationInfo::on_gpu);
  plan.jobs =
      all_on_gpus ? std::max(1, plan.gpu_jobs) : plan.gpu_jobs + host_jobs(options, plan.gpu_jobs);
  plan.gpus_apart = all_on_gpus || plan.gpu_jobs < plan.jobs;
  plan.gpu_lanes = gpu_lanes(plan.gpu_jobs, plan.jobs - plan.gpu_jobs);
  plan.seed = options.seed;
  plan.targets = targets(hello, options.worker.operators);
  plan.limits = options.limits;
  plan.limits.gpu = plan.gpu_jobs > 0;
  plan.limits.subnormal_sums = plan.gpu_jobs == 0;
  plan.strict = options.strict;
  plan.cases = options.cases;
  plan.timeout = options.timeout;
  plan.engines = options.engines;
  for (const std::string& flag : options.fuzzer_flags) plan.fuzzer_flags += flag + "\n";
  if (plan.targets.empty()) {
    throw SetupError(
        "no implementation has any of the operators asked for; `indexfuzz list "
        "implementations` shows what there is.");
  }
  require_case_within_contract(plan);
  if (all_on_gpus && plan.engines == Engines::kBoth) plan.engines = Engines::kProperty;
  if (all_on_gpus && plan.engines == Engines::kCoverage) {
    throw SetupError(
        "the coverage engine calls no GPU, and nothing else is asked for; use --engine property.");
  }
  if (plan.engines != Engines::kProperty && !hello.libfuzzer) {
    throw SetupError(
        "this build has no coverage engine; install libclang-rt-19-dev and build again, or use "
        "--engine property.");
  }
  if (plan.fuzzer_flags.size() >= kFuzzerFlagBytes)
    throw SetupError("the flags for libFuzzer are too long.");
  return plan;
}

}  // namespace indexfuzz
