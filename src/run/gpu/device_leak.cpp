#include "run/gpu/device_leak.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "run/gpu/call_alone.h"
#include "run/session/report.h"

namespace indexfuzz {
namespace {

// Between two looks at the device's memory: the driver answers one process at a time, and slowly
// while another one opens or closes the device.
constexpr std::chrono::milliseconds kBetweenLooks{200};
// Looks take at most one part in this many of the time.
constexpr int kShareOfLooks = 20;
// The pause doubles after each metered batch, up to this: starting and stopping the meter takes
// hundreds of milliseconds.
constexpr std::chrono::seconds kLongestBetweenMetered{64};
// Batches with a look after each, which shows whose calls let the memory grow.
constexpr std::uint32_t kAttentive = 64;
// Less growth may be code that was loaded; a small leak reaches this in time.
constexpr std::int64_t kSuspicious = std::int64_t{64} << 20;
constexpr int kRounds = 3;
// Without a meter, few calls show a leak of whole pieces, and many calls one of some kilobytes
// each.
constexpr int kFewCalls = 64, kManyCalls = 512;
// A leak of every fourth call.
constexpr int kLeakingPart = 4;
/// A process with a leaking kernel ends when it holds this much more than at first, before the
/// memory is missed.
constexpr std::int64_t kMostKept = std::int64_t{8} << 30;
constexpr std::size_t kMostTrials = 4;

bool grew(const DeviceHeld& before, const DeviceHeld& now, std::int64_t bytes) {
  return now.allocations > before.allocations || now.bytes - before.bytes >= bytes;
}

class DeviceLeakTrial {
 public:
  DeviceLeakTrial(Session& session, const Case& applied, bool illegal, std::size_t implementation,
                  const Plan& plan)
      : session_(session),
        applied_(applied),
        illegal_(illegal),
        implementation_(implementation),
        plan_(plan) {
    // Opens the device, too.
    call_on_device(session, {applied, illegal}, implementation, plan);
    device().meter(true);
  }
  DeviceLeakTrial(const DeviceLeakTrial&) = delete;
  DeviceLeakTrial& operator=(const DeviceLeakTrial&) = delete;
  ~DeviceLeakTrial() { device().meter(false); }

  DeviceHeld grows_by(int calls) {
    const DeviceHeld before = device().held(Asks::kDriver);
    for (int i = 0; i < calls && !must_end(session_); ++i)
      call_on_device(session_, {applied_, illegal_}, implementation_, plan_);
    const DeviceHeld after = device().held(Asks::kDriver);
    return {after.allocations - before.allocations, after.bytes - before.bytes, after.piece};
  }
  bool keeps_allocations(int calls) { return grows_by(calls).allocations >= calls / kLeakingPart; }
  /// At least one piece every fourth call.
  bool keeps_pieces(int calls) {
    const DeviceHeld growth = grows_by(calls);
    return growth.bytes >= calls / kLeakingPart * growth.piece;
  }
  bool keeps_some(int calls) {
    const DeviceHeld growth = grows_by(calls);
    return growth.bytes >= growth.piece;
  }

  /// Whether `kept()` holds in each round.
  template <typename Kept>
  static bool each_round(Kept&& kept) {
    for (int round = 0; round < kRounds; ++round) {
      if (!kept()) return false;
    }
    return true;
  }

 private:
  Device& device() {
    const int index = session_.implementations[implementation_].device;
    return *session_.devices[static_cast<std::size_t>(index)];
  }

  Session& session_;
  const Case& applied_;
  bool illegal_;
  std::size_t implementation_;
  const Plan& plan_;
};

Verdict leak(const char* what) {
  return finding_by_message(Kind::kLeak, -1, std::string("does not give back ") + what);
}

}  // namespace

std::optional<Verdict> find_device_leak(Session& session, const Case& applied, bool illegal,
                                        std::size_t implementation, const Plan& plan) {
  DeviceLeakTrial trial(session, applied, illegal, implementation, plan);
  const bool has_meter = trial.grows_by(1).piece == 1;  // also makes one-time set-up happen
  if (DeviceLeakTrial::each_round([&] { return trial.keeps_allocations(kFewCalls); }))
    return leak("memory that PyTorch allocated on the device");
  if (DeviceLeakTrial::each_round([&] { return trial.keeps_pieces(kFewCalls); }) ||
      (!has_meter && DeviceLeakTrial::each_round([&] { return trial.keeps_some(kManyCalls); })))
    return leak("memory of the device");
  return std::nullopt;
}

bool DeviceLeakWatch::Patience::ends() {
  if (let_pass > 0) {
    --let_pass;
    return false;
  }
  let_pass = (1u << std::min(++searches, 20u)) - 1;
  return true;
}

void DeviceLeakWatch::meter_now_and_then(int index, Device& device) {
  Since& since = since_[static_cast<std::size_t>(index)];
  const auto now = std::chrono::steady_clock::now();
  if (!since.settled || now < since.next_metered) return;
  since.metered = device.meter(true);
  since.next_metered = now + since.between_metered;
  since.between_metered = std::min(2 * since.between_metered, kLongestBetweenMetered);
}

void DeviceLeakWatch::look(Session& session, Device& device, std::span<const DeviceCall> calls,
                           const std::function<void(const DeviceCall&, const Verdict&)>& report) {
  if (calls.empty()) return;
  const auto index =
      static_cast<std::size_t>(session.implementations[calls.front().implementation].device);
  Since& since = since_[index];
  const auto begin = std::chrono::steady_clock::now();
  if (std::exchange(since.metered, false)) {
    device.meter(false);
    const auto kept = [](const DeviceCall& call) { return call.kept_bytes > 0; };
    if (std::ranges::any_of(calls, kept) && since.with_metered.ends())
      since.leaks |= search(session, calls, 1, report);
  }
  const bool attentive = since.attentive_batches > 0;
  if (since.settled && !attentive && begin < since.next_look) return;
  // PyTorch's own kernels take all their memory from the allocator.
  const bool has_custom = std::ranges::any_of(
      session.implementations, [](const Implementation& i) { return i.on_gpu() && i.custom; });
  const Asks asks = has_custom ? Asks::kDriver : Asks::kAllocator;
  DeviceHeld held = device.held(asks);
  const auto end = std::chrono::steady_clock::now();
  since.next_look = end + std::max<std::chrono::steady_clock::duration>(
                              kBetweenLooks, kShareOfLooks * (end - begin));
  if (!since.settled) {
    since.first = since.searched = since.last = held;
    since.settled = true;
    return;
  }
  if (attentive) {
    --since.attentive_batches;
    if (grew(since.last, held, 1)) {
      since.leaks |= search(session, calls, 0, report);
      held = device.held(asks);
      since.attentive_batches = 0;
    }
    if (since.attentive_batches == 0) since.searched = held;
  } else if (grew(since.searched, held, kSuspicious) && since.with_growth.ends()) {
    since.attentive_batches = kAttentive;
  }
  since.last = held;
  session.spent |= since.leaks && held.bytes - since.first.bytes > kMostKept;
}

bool DeviceLeakWatch::search(Session& session, std::span<const DeviceCall> calls, std::int64_t kept,
                             const std::function<void(const DeviceCall&, const Verdict&)>& report) {
  std::vector<const Plan*> tried;
  bool found = false;
  for (const DeviceCall& call : calls) {
    if (tried.size() == kMostTrials || must_end(session)) break;
    if (call.narrowed || call.unjudged != Unjudged::kNo ||
        call.observation.outcome != Outcome::kReturned || call.kept_bytes < kept ||
        std::ranges::find(tried, call.plan) != tried.end())
      continue;
    tried.push_back(call.plan);
    session.slot.case_number.store(call.number, std::memory_order_relaxed);
    const auto verdict =
        find_device_leak(session, *call.applied, call.illegal, call.implementation, *call.plan);
    if (!verdict) continue;
    report(call, *verdict);
    found = true;
  }
  return found;
}

}  // namespace indexfuzz
