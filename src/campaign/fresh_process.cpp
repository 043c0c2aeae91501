#include "campaign/fresh_process.h"

#include <chrono>
#include <utility>

#include "campaign/failure.h"

namespace indexfuzz {

FreshProcess::FreshProcess(const WorkerCommand& command, bool strict)
    : zygote_(command, 1), strict_(strict) {}

FreshProcess::~FreshProcess() {
  stopped_ = true;
  if (result_.valid()) result_.wait();
}

std::optional<Verdict> FreshProcess::run(const std::vector<Case>& cases,
                                         const RunOptions& options) {
  const auto interrupted = [this] { return stopped_.load(); };
  try {
    zygote_.hello(interrupted);
    return Runner(zygote_, 0, 1, strict_, interrupted).run_sequence(cases, options);
  } catch (const SetupError&) {
    return std::nullopt;
  } catch (const Interruption&) {
    return std::nullopt;
  }
}

void FreshProcess::begin(std::vector<Case> cases, const RunOptions& options) {
  result_ = std::async(std::launch::async,
                       [this, cases = std::move(cases), options] { return run(cases, options); });
}

std::optional<Verdict> FreshProcess::finish(const Interrupted& interrupted) {
  while (result_.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    if (interrupted && interrupted()) stopped_ = true;
  }
  return result_.get();
}

}  // namespace indexfuzz
