#include "campaign/work_plan.h"

#include <algorithm>

#include "campaign/failure.h"

namespace indexfuzz {

WorkPlan work_plan(const CampaignOptions& options, const Hello& hello,
                   const CoverageCorpus& corpus) {
  WorkPlan plan;
  plan.corpus = &corpus;
  plan.jobs = options.jobs;
  plan.seed = options.seed;
  plan.targets = targets(hello, options.worker.operators);
  plan.limits = options.limits;
  plan.limits.gpu = std::ranges::any_of(hello.implementations, &ImplementationInfo::on_gpu);
  plan.strict = options.strict;
  plan.cases = options.cases;
  plan.timeout = options.timeout;
  plan.engines = options.engines;
  plan.plain_environment = std::ranges::all_of(hello.implementations, &ImplementationInfo::on_gpu);
  for (const std::string& flag : options.fuzzer_flags) plan.fuzzer_flags += flag + "\n";
  if (plan.targets.empty()) {
    throw SetupError(
        "no implementation has any of the operators asked for; `indexfuzz list "
        "implementations` shows what there is.");
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
