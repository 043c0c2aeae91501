#include "run/host/leak.h"

#include <chrono>
#include <span>
#include <string>

#include "run/host/host_call.h"
#include "run/session/report.h"
#include "run/watch/memory_limit.h"
#include "run/watch/resources.h"

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds[] = {64, 256, 1024, 4096};
// A log of the last ten thousand calls still grows after kRounds, but not to the end of these.
constexpr int kLongRounds[] = {16384, 65536}, kCallsAtATime = 1024;
// No kernel keeps this many bytes on purpose.
constexpr std::int64_t kGrown = std::int64_t{256} << 20;
// Threads, processes and descriptors are scarce: a process may have about a thousand of them.
constexpr int kShortRounds[] = {32, 32, 32};
// The least growth that counts: a leak in every fourth call, of malloc's smallest block.
constexpr int kLeakingPart = 4;
constexpr std::int64_t kSmallestBlock = 32;
constexpr std::chrono::seconds kPatience{10};

std::int64_t least_growth(Resource resource, int calls) {
  return calls / kLeakingPart * (resource == Resource::kHeap ? kSmallestBlock : 1);
}

bool is_counted(Resource resource) {
  return resource != Resource::kTensors && resource != Resource::kHeap;
}

class LeakTrial {
 public:
  LeakTrial(Session& session, std::size_t implementation, const Plan& plan)
      : session_(session),
        implementation_(implementation),
        plan_(plan),
        applied_(session.arena->current()) {}

  Held grows_by(int calls) {
    const Held before = held_by_calls(session_);
    for (int i = 0; i < calls && !must_end(session_); ++i) {
      lay_out_again(session_, applied_);
      call(session_, implementation_, plan_);
    }
    Held growth = held_by_calls(session_);
    for (int r = 0; r < kResources; ++r)
      growth[static_cast<std::size_t>(r)] -= before[static_cast<std::size_t>(r)];
    return growth;
  }

  bool leaks(Resource resource) {
    const std::span<const int> rounds =
        is_counted(resource) ? std::span<const int>(kShortRounds) : std::span<const int>(kRounds);
    const auto begin = Clock::now();
    for (const int calls : rounds) {
      if (grows_by(calls)[static_cast<std::size_t>(resource)] < least_growth(resource, calls))
        return false;
      if (session_.spent || must_end(session_) || Clock::now() - begin > kPatience) return false;
    }
    return true;
  }

  /// Whether a resource for which leaks() is true goes on growing, as far as time and memory reach.
  /// False if the supervisor ends the search, which then proves nothing.
  bool goes_on(Resource resource) {
    const auto begin = Clock::now();
    const std::int64_t held = private_memory();
    const auto is_over = [&] {
      return session_.spent || Clock::now() - begin > kPatience || private_memory() - held > kGrown;
    };
    for (const int calls : kLongRounds) {
      std::int64_t growth = 0;
      for (int done = 0; done < calls; done += kCallsAtATime) {
        if (must_end(session_)) return false;
        if (is_over()) return true;
        growth += grows_by(kCallsAtATime)[static_cast<std::size_t>(resource)];
      }
      if (growth < least_growth(resource, calls)) return false;
    }
    return !must_end(session_);
  }

 private:
  Session& session_;
  std::size_t implementation_;
  const Plan& plan_;
  const Case& applied_;
};

}  // namespace

Held held_by_calls(Session& session) {
  session.executor.forget_results();
  return held_now();
}

std::optional<Verdict> find_leak(Session& session, std::size_t implementation, const Plan& plan,
                                 LeakSearch search) {
  // A hundred leaked threads have stacks of 8 MiB each.
  const RaisedMemoryLimit raised;
  LeakTrial trial(session, implementation, plan);
  const int first = kShortRounds[0];
  trial.grows_by(first);  // first calls set things up, and free what others left
  const Held growth = trial.grows_by(first);
  // The most visible first: a leaked thread also holds memory, and a tensor some of malloc's.
  for (const Resource resource : {Resource::kProcesses, Resource::kThreads, Resource::kDescriptors,
                                  Resource::kTensors, Resource::kHeap}) {
    if (growth[static_cast<std::size_t>(resource)] < least_growth(resource, first)) continue;
    if (!trial.leaks(resource)) continue;
    if (search == LeakSearch::kLong && !is_counted(resource) && !trial.goes_on(resource)) continue;
    return finding_by_message(Kind::kLeak, -1, "does not give back " + std::string(name(resource)));
  }
  return std::nullopt;
}

}  // namespace indexfuzz
