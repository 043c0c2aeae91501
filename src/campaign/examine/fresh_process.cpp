#include "campaign/examine/fresh_process.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "campaign/failure.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kInAdvance = 2;

}  // namespace

FreshProcess::FreshProcess(const WorkerCommand& command, bool strict)
    : zygote_(command, 1, [this] { return stopped_.load(); }), strict_(strict) {}

FreshProcess::~FreshProcess() {
  stopped_ = true;
  if (result_.valid()) result_.wait();
}

std::optional<Verdict> FreshProcess::run(const std::vector<Case>& cases,
                                         const RunOptions& options) {
  const auto pulse = [this] { return stopped_.load(); };
  try {
    zygote_.hello();
    return Runner(zygote_, SlotRange{0, 1}, strict_, pulse).run_sequence(cases, options);
  } catch (const SetupError&) {
    return std::nullopt;
  } catch (const Interruption&) {
    return std::nullopt;
  }
}

void FreshProcess::begin(std::vector<Case> cases, const RunOptions& options) {
  try {
    result_ = std::async(std::launch::async,
                         [this, cases = std::move(cases), options] { return run(cases, options); });
  } catch (const std::system_error&) {
    // The system has no thread to spare.
    std::promise<std::optional<Verdict>> none;
    none.set_value(std::nullopt);
    result_ = none.get_future();
  }
}

std::optional<Verdict> FreshProcess::finish(const Pulse& pulse) {
  while (result_.wait_for(milliseconds(5)) != std::future_status::ready) {
    if (stops_at(pulse)) stopped_ = true;
  }
  return result_.get();
}

FreshProcesses::FreshProcesses(const WorkerCommand& command, bool strict, bool in_advance)
    : command_(command), strict_(strict), in_advance_(in_advance) {}

void FreshProcesses::refill() {
  while (in_advance_ && ready_.size() < kInAdvance && start_one()) {
  }
}

bool FreshProcesses::start_one() {
  try {
    ready_.push_back(std::make_unique<FreshProcess>(command_, strict_));
    return true;
  } catch (const SetupError&) {
    return false;
  }
}

std::unique_ptr<FreshProcess> FreshProcesses::take() {
  if (ready_.empty() && !start_one()) return nullptr;
  std::unique_ptr<FreshProcess> first = std::move(ready_.front());
  ready_.pop_front();
  return first;
}

}  // namespace indexfuzz
