#include "run/device/device_batch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "draw/draw.h"
#include "run/call/deterministic_algorithms.h"
#include "run/choose.h"
#include "run/device/device_leak.h"
#include "run/device/device_session.h"
#include "run/device/lanes.h"
#include "run/mix.h"
#include "run/narrowing.h"
#include "run/report.h"

namespace indexfuzz {
namespace {

// Longer than what the host does between the calls of a busy stream.
constexpr std::chrono::microseconds kBusyFor{200};

/// In one of this many turns of twins each call has a batch of its own: only there do both twins
/// find their operands at the same addresses.
constexpr std::uint64_t kTwinTurnsPerLone = 8;
bool is_called_alone(std::uint64_t number) {
  const std::uint64_t twin_turn = number / kOperatorTurn / kTurnsPerTwins;
  return is_of_twins(number) && twin_turn % kTwinTurnsPerLone == kTwinTurnsPerLone - 1;
}

}  // namespace

struct DeviceBatch::Contents {
  /// A case for an implementation that is to run it.
  struct Planned {
    const PreparedCase* c;
    std::size_t implementation;
  };
  explicit Contents(Session& session)
      : session(session), lanes(static_cast<int>(session.slot.job.gpu_lanes), session.executor) {}
  Session& session;
  Lanes lanes;
  GpuSettings settings;  ///< of all its calls
  DeviceLeakWatch leaks;
  DeviceTimes counted;  ///< the part of the session's times that its slot has
  std::array<DeviceCounts, kMaxDevices> counted_of{};  ///< likewise for each device
  bool counts_mix = false;
  bool has_custom = false;  ///< whether an implementation on a GPU is custom
  std::vector<Planned> planned;
  std::vector<DeviceCall> calls;             ///< the calls that go to one device together
  std::vector<std::size_t> of_aten, custom;  ///< places of calls, by implementation
};

DeviceBatch::DeviceBatch(Session& session) : contents_(std::make_unique<Contents>(session)) {
  contents_->counts_mix =
      std::none_of(session.implementations.begin(), session.implementations.end(),
                   [](const Implementation& i) { return i.device < 0; });
  contents_->has_custom =
      std::any_of(session.implementations.begin(), session.implementations.end(),
                  [](const Implementation& i) { return i.device >= 0 && i.custom; });
  // Devices stay open from one job of a process to the next.
  contents_->counted = session.device_times;
  for (std::size_t i = 0; i < session.devices.size(); ++i) {
    if (session.devices[i] != nullptr) contents_->counted_of[i] = session.devices[i]->counts();
  }
}

DeviceBatch::~DeviceBatch() {
  for (Device* const device : contents_->session.devices) {
    if (device != nullptr) device->unpin();
  }
}

void DeviceBatch::plan_calls(const PreparedBatch& prepared, std::size_t count) {
  Contents& batch = *contents_;
  Session& session = batch.session;
  batch.planned.clear();
  Chosen chosen;
  for (const PreparedCase& c : std::span(prepared.cases).first(count)) {
    if (c.is_fatal) continue;
    if (!c.is_wanted) {
      count_unwanted(session, c.number, c.drawn);
      continue;
    }
    choose(session, c.number, c.drawn, c.key, Where::kDevice, chosen);
    for (const std::size_t i : chosen) {
      if (c.is_too_large) {
        indexfuzz::count(tally_of(session, i, c.drawn).unsupported);
      } else {
        batch.planned.push_back({&c, i});
      }
    }
    if (batch.counts_mix && !chosen.empty() && !c.is_too_large) count_mix(session.slot.mix, c.mix);
  }
}

/// Adds the calls of a case on one implementation; false if the device's batch is full.
bool DeviceBatch::add_calls(const PreparedCase& c, std::size_t implementation) {
  Contents& batch = *contents_;
  Device& device = device_of(batch.session, implementation);
  const auto add = [&](const LaidOut& laid, bool illegal, Unjudged unjudged) {
    DeviceCall& call = batch.calls.emplace_back();
    call.number = c.number;
    call.named = &c.named();
    call.applied = laid.c;
    call.laid = &laid;
    call.illegal = illegal;
    call.unjudged = unjudged;
    call.implementation = implementation;
    call.plan = plans_for(batch.session, *call.named)[implementation];
    return lay_out(device, batch.session.host_operands, call);
  };
  const bool base_first = c.is_illegal && batch.session.implementations[implementation].custom;
  return (!base_first || add(c.legal_base, false, Unjudged::kLegalBase)) &&
         add(c.applied, c.is_illegal, Unjudged::kNo);
}

/// Gathers planned calls for one device from `next` on until its batch is full; returns where the
/// next batch begins.
std::size_t DeviceBatch::gather(const PreparedBatch& prepared, std::size_t next, int device_index) {
  Contents& batch = *contents_;
  std::size_t staging = 0;
  for (; next < batch.planned.size(); ++next) {
    const auto& [c, implementation] = batch.planned[next];
    if (batch.session.implementations[implementation].device != device_index) continue;
    const std::size_t calls_before = batch.calls.size();
    if (calls_before == 0) {
      staging = c->staging;
      batch.settings = c->named().gpu;
      device_of(batch.session, implementation)
          .begin(prepared.stagings[staging]->begin(), batch.settings, {kBusyFor, batch.has_custom},
                 batch.lanes.count());
      batch.session.host_operands.clear();
    }
    if (c->staging != staging || c->named().gpu != batch.settings) break;
    if (add_calls(*c, implementation)) {
      if (!batch.has_custom || !is_called_alone(c->number)) continue;
      return next + 1;
    }
    batch.calls.resize(calls_before);
    if (calls_before != 0) break;
    count(tally_of(batch.session, implementation, c->drawn).unsupported);
  }
  return next;
}

void DeviceBatch::run(const PreparedBatch& prepared, std::size_t count) {
  Contents& batch = *contents_;
  DeviceTimes& times = batch.session.device_times;
  times.preparing += prepared.seconds;
  PhaseClock clock;
  plan_calls(prepared, count);
  for (int index = 0; index < kMaxDevices; ++index) {
    for (std::size_t next = 0; next < batch.planned.size();) {
      next = gather(prepared, next, index);
      clock.stroke(times.placing);
      if (!batch.calls.empty()) run_gathered(index);
      clock.restart();
    }
  }
  count_work();
}

/// Adds what was done since the last time to the slot's counters.
void DeviceBatch::count_work() {
  Contents& batch = *contents_;
  Session& session = batch.session;
  GpuCounters& counters = session.slot.gpu;
  count_times(session.device_times, batch.counted, counters);
  for (std::size_t i = 0; i < session.devices.size(); ++i) {
    if (session.devices[i] == nullptr) continue;
    const DeviceCounts now = session.devices[i]->counts();
    DeviceCounts& then = batch.counted_of[i];
    counters.batches += now.batches - then.batches;
    counters.copies += now.copies - then.copies;
    counters.synchronizations += now.synchronizations - then.synchronizations;
    then = now;
  }
}

/// Splits the calls by implementation. A case's legal base, on which only custom kernels are
/// called, stays in front of it.
void DeviceBatch::split_calls() {
  Contents& batch = *contents_;
  batch.of_aten.clear();
  batch.custom.clear();
  for (std::size_t place = 0; place < batch.calls.size(); ++place) {
    const bool custom = batch.session.implementations[batch.calls[place].implementation].custom;
    (custom ? batch.custom : batch.of_aten).push_back(place);
  }
}

/// PyTorch's operators on all lanes at once; then custom kernels, one after another.
void DeviceBatch::make_calls(Device& device, int device_index) {
  Contents& batch = *contents_;
  Session& session = batch.session;
  // The flag is process-wide.
  const DeterministicAlgorithms algorithms(batch.settings.deterministic);
  batch.lanes.share_out(batch.of_aten, [&](const Lane& lane, std::size_t place) {
    DeviceCall& call = batch.calls[place];
    begin_call(session, call);
    make_call(device, device_index, lane, static_cast<int>(place), call);
  });
  for (const std::size_t place : batch.of_aten) require_code(session, batch.calls[place]);
  for (const std::size_t place : batch.custom) {
    DeviceCall& call = batch.calls[place];
    // A kernel that refuses an illegal case's legal base would show nothing by refusing the case.
    call.narrowed = place > 0 && batch.calls[place - 1].unjudged == Unjudged::kLegalBase &&
                    batch.calls[place - 1].observation.outcome != Outcome::kReturned;
    if (call.narrowed) continue;
    begin_call(session, call);
    const std::int64_t taken = device.metered();
    make_call(device, device_index, batch.lanes.first(), static_cast<int>(place), call);
    call.kept_bytes = std::max<std::int64_t>(device.metered() - taken, 0);
    end_first_call(session, call.implementation, *call.plan, call.observation.outcome);
    require_code(session, call);
  }
}

void DeviceBatch::run_gathered(int device_index) {
  Contents& batch = *contents_;
  Session& session = batch.session;
  Device& device = *session.devices[static_cast<std::size_t>(device_index)];
  Slot& slot = session.slot;
  const std::uint64_t first = batch.calls.front().number;
  slot.batch_calls.clear();
  for (const DeviceCall& call : batch.calls)
    slot.batch_calls.note(call.implementation, call.number - first);
  slot.batch_first.store(first, std::memory_order_relaxed);
  slot.batch_end.store(batch.calls.back().number + 1, std::memory_order_relaxed);
  const auto check = [&](const DeviceError& error) {
    if (error.code == 0) return;
    slot.case_number.store(first, std::memory_order_relaxed);
    end_with(session, error);
  };
  DeviceTimes& times = session.device_times;
  PhaseClock clock;
  split_calls();
  // PyTorch's operators keep to the current stream.
  check(device.upload(batch.custom.empty() ? Waits::kStreams : Waits::kHostToo));
  if (!batch.custom.empty()) batch.leaks.meter_now_and_then(device_index, device);
  clock.stroke(times.placing);
  make_calls(device, device_index);
  clock.stroke(times.calling);
  check(device.finish());
  clock.stroke(times.checking);
  end_call(session);
  const std::vector<Verdict> verdicts = verdicts_on(session, device, batch.calls);
  for (std::size_t place = 0; place < batch.calls.size(); ++place) {
    const DeviceCall& call = batch.calls[place];
    const Verdict& verdict = verdicts[place];
    if (call.unjudged != Unjudged::kNo) continue;
    if (call.narrowed) {
      note_refused_base(session, call.implementation, *call.named, support_key(*call.named),
                        batch.calls[place - 1].observation.outcome);
      continue;
    }
    slot.case_number.store(call.number, std::memory_order_relaxed);
    tally(session, call.implementation, verdict, *call.named, call.illegal);
    if (!call.illegal) {
      note_support(session, call.implementation, support_key(*call.named), call.observation.outcome,
                   verdict.status);
    }
    const bool stopped = verdict.status == Status::kRefused &&
                         has_stopped_taking(session.slot, call.implementation, *call.named);
    if (verdict.status != Status::kFinding && !stopped) continue;
    clock.stroke(times.judging);
    report(session, *call.named, call.number, call.implementation,
           stopped ? stopped_taking(verdict) : verdict);
    clock.stroke(times.reporting);
  }
  slot.batch_end.store(0, std::memory_order_relaxed);
  times.calls += batch.calls.size();
  for (DeviceCall& call : batch.calls) {
    call.result.reset();
    call.written.reset();
  }
  clock.stroke(times.judging);
  batch.leaks.look(session, device, batch.calls,
                   [&](const DeviceCall& call, const Verdict& verdict) {
                     tally(session, call.implementation, verdict, *call.named, false);
                     report(session, *call.named, call.number, call.implementation, verdict);
                   });
  clock.stroke(times.metering);
  batch.calls.clear();
}

}  // namespace indexfuzz
