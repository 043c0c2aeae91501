#include "run/gpu/device_batch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "draw/draw.h"
#include "run/call/deterministic_algorithms.h"
#include "run/gpu/device_leak.h"
#include "run/gpu/device_session.h"
#include "run/gpu/lanes.h"
#include "run/host/host_call.h"
#include "run/session/choose.h"
#include "run/session/first_call.h"
#include "run/session/judge_call.h"
#include "run/session/mix.h"
#include "run/session/narrowing.h"
#include "run/session/report.h"

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
  explicit Contents(Session& session);
  ~Contents();

  void run(const PreparedBatch& prepared, std::size_t count);
  void plan_calls(const PreparedBatch& prepared, std::size_t count);
  bool add_calls(const PreparedCase& c, std::size_t implementation);
  std::size_t fill(const PreparedBatch& prepared, std::size_t next, int device_index);
  void run_filled(int device_index);
  void note_calls(Slot& slot) const;
  void split_calls();
  void make_calls(Device& device, int device_index);
  void judge_calls(Device& device, PhaseClock& clock);
  void let_go_of_results();
  void count_work();

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

DeviceBatch::Contents::Contents(Session& session)
    : session(session), lanes(static_cast<int>(session.slot.job.gpu_lanes), session.executor) {
  counts_mix = session.slot.job.places == Job::Places::kGpus;
  has_custom = std::ranges::any_of(session.implementations,
                                   [](const Implementation& i) { return i.on_gpu() && i.custom; });
  // Devices stay open from one job of a process to the next.
  counted = session.device_times;
  for (std::size_t i = 0; i < session.devices.size(); ++i) {
    if (session.devices[i] != nullptr) counted_of[i] = session.devices[i]->counts();
  }
}

DeviceBatch::Contents::~Contents() {
  for (Device* const device : session.devices) {
    if (device != nullptr) device->unpin();
  }
}

void DeviceBatch::Contents::plan_calls(const PreparedBatch& prepared, std::size_t count) {
  planned.clear();
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
        planned.push_back({&c, i});
      }
    }
    if (counts_mix && !chosen.empty() && !c.is_too_large) count_mix(session.slot.mix, c.mix);
  }
}

/// Adds the calls of a case on one implementation; false if the device's batch is full.
bool DeviceBatch::Contents::add_calls(const PreparedCase& c, std::size_t implementation) {
  Device& device = device_of(session, implementation);
  const bool must_refuse =
      c.is_illegal || to_be_refused(session.implementations[implementation], c.named());
  const auto add = [&](const LaidOut& laid, bool illegal, Unjudged unjudged) {
    DeviceCall& call = calls.emplace_back();
    call.number = c.number;
    call.named = &c.named();
    call.applied = laid.c;
    call.laid = &laid;
    call.illegal = illegal;
    call.unjudged = unjudged;
    call.implementation = implementation;
    call.plan = plans_for(session, *call.named)[implementation];
    return lay_out(device, session.host_operands, call);
  };
  const bool base_first = c.is_illegal && session.implementations[implementation].custom;
  return (!base_first || add(c.legal_base, false, Unjudged::kLegalBase)) &&
         add(c.applied, must_refuse, Unjudged::kNo);
}

/// Takes planned calls for one device from `next` on until its batch is full; returns where the
/// next batch begins.
std::size_t DeviceBatch::Contents::fill(const PreparedBatch& prepared, std::size_t next,
                                        int device_index) {
  std::size_t staging = 0;
  for (; next < planned.size(); ++next) {
    const auto& [c, implementation] = planned[next];
    if (session.implementations[implementation].device != device_index) continue;
    const std::size_t calls_before = calls.size();
    if (calls_before == 0) {
      staging = c->staging;
      settings = c->named().gpu;
      device_of(session, implementation)
          .begin(prepared.stagings[staging]->begin(), settings, {kBusyFor, has_custom},
                 lanes.count());
      session.host_operands.clear();
    }
    if (c->staging != staging || c->named().gpu != settings) break;
    if (add_calls(*c, implementation)) {
      if (!has_custom || !is_called_alone(c->number)) continue;
      return next + 1;
    }
    calls.resize(calls_before);
    if (calls_before != 0) break;
    count(tally_of(session, implementation, c->drawn).unsupported);
  }
  return next;
}

void DeviceBatch::Contents::run(const PreparedBatch& prepared, std::size_t count) {
  DeviceTimes& times = session.device_times;
  times.preparing += prepared.seconds;
  PhaseClock clock;
  plan_calls(prepared, count);
  for (int index = 0; index < kMaxDevices; ++index) {
    for (std::size_t next = 0; next < planned.size();) {
      next = fill(prepared, next, index);
      clock.stroke(times.placing);
      if (!calls.empty()) run_filled(index);
      clock.restart();
    }
  }
  count_work();
}

/// Adds what was done since the last time to the slot's counters.
void DeviceBatch::Contents::count_work() {
  GpuCounters& counters = session.slot.gpu;
  count_times(session.device_times, counted, counters);
  for (std::size_t i = 0; i < session.devices.size(); ++i) {
    if (session.devices[i] == nullptr) continue;
    const DeviceCounts now = session.devices[i]->counts();
    DeviceCounts& then = counted_of[i];
    counters.batches += now.batches - then.batches;
    counters.copies += now.copies - then.copies;
    counters.synchronizations += now.synchronizations - then.synchronizations;
    then = now;
  }
}

/// Splits the calls by implementation. A case's legal base, on which only custom kernels are
/// called, stays in front of it.
void DeviceBatch::Contents::split_calls() {
  of_aten.clear();
  custom.clear();
  for (std::size_t place = 0; place < calls.size(); ++place) {
    const bool is_custom = session.implementations[calls[place].implementation].custom;
    (is_custom ? custom : of_aten).push_back(place);
  }
}

/// PyTorch's operators on all lanes at once; then custom kernels, one after another.
void DeviceBatch::Contents::make_calls(Device& device, int device_index) {
  // The flag is process-wide.
  const DeterministicAlgorithms algorithms(settings.deterministic);
  lanes.share_out(of_aten, [&](const Lane& lane, std::size_t place) {
    DeviceCall& call = calls[place];
    begin_call(session, call);
    make_call(device, device_index, lane, static_cast<int>(place), call);
  });
  for (const std::size_t place : of_aten) require_code(session, calls[place]);
  for (const std::size_t place : custom) {
    DeviceCall& call = calls[place];
    // A kernel that refuses an illegal case's legal base would show nothing by refusing the case.
    call.narrowed = place > 0 && calls[place - 1].unjudged == Unjudged::kLegalBase &&
                    calls[place - 1].observation.outcome != Outcome::kReturned;
    if (call.narrowed) continue;
    begin_call(session, call);
    const std::int64_t taken = device.metered();
    make_call(device, device_index, lanes.first(), static_cast<int>(place), call);
    call.kept_bytes = std::max<std::int64_t>(device.metered() - taken, 0);
    end_first_call(session, call.implementation, *call.plan, call.observation.outcome);
    require_code(session, call);
  }
}

/// Tells the supervisor which calls the batch consists of, in case it kills the process.
void DeviceBatch::Contents::note_calls(Slot& slot) const {
  const std::uint64_t first = calls.front().number;
  slot.batch_calls.clear();
  for (const DeviceCall& call : calls)
    slot.batch_calls.note(call.implementation, call.number - first);
  slot.batch_first.store(first, std::memory_order_relaxed);
  slot.batch_end.store(calls.back().number + 1, std::memory_order_relaxed);
}

void DeviceBatch::Contents::run_filled(int device_index) {
  Device& device = *session.devices[static_cast<std::size_t>(device_index)];
  const auto check = [&](const DeviceError& error) {
    if (error.code == 0) return;
    session.slot.case_number.store(calls.front().number, std::memory_order_relaxed);
    end_with(session, error);
  };
  DeviceTimes& times = session.device_times;
  note_calls(session.slot);
  PhaseClock clock;
  split_calls();
  // PyTorch's operators keep to the current stream.
  check(device.upload(custom.empty() ? Waits::kStreams : Waits::kHostToo));
  if (!custom.empty()) leaks.meter_now_and_then(device_index, device);
  clock.stroke(times.placing);
  make_calls(device, device_index);
  clock.stroke(times.calling);
  check(device.finish());
  clock.stroke(times.checking);
  end_call(session);
  judge_calls(device, clock);
  session.slot.batch_end.store(0, std::memory_order_relaxed);
  times.calls += calls.size();
  let_go_of_results();
  clock.stroke(times.judging);
  leaks.look(session, device, calls, [&](const DeviceCall& call, const Verdict& verdict) {
    tally(session, call.implementation, verdict, *call.named, false);
    report(session, *call.named, call.number, call.implementation, verdict);
  });
  clock.stroke(times.metering);
  calls.clear();
}

/// Counts and reports what came of the calls, all of which have ended.
void DeviceBatch::Contents::judge_calls(Device& device, PhaseClock& clock) {
  DeviceTimes& times = session.device_times;
  const std::vector<Verdict> verdicts = verdicts_on(session, device, calls);
  for (std::size_t place = 0; place < calls.size(); ++place) {
    const DeviceCall& call = calls[place];
    const Verdict& verdict = verdicts[place];
    if (call.unjudged != Unjudged::kNo) continue;
    const std::uint64_t key = support_key(*call.named);
    if (call.narrowed) {
      note_refused_base(session, call.implementation, *call.named, key,
                        calls[place - 1].observation.outcome);
      continue;
    }
    session.slot.case_number.store(call.number, std::memory_order_relaxed);
    tally(session, call.implementation, verdict, *call.named, call.illegal);
    if (!call.illegal)
      note_support(session, call.implementation, key, call.observation.outcome, verdict.status);
    const bool stopped = verdict.status == Status::kRefused &&
                         has_stopped_taking(session.slot, call.implementation, *call.named);
    if (verdict.status != Status::kFinding && !stopped) continue;
    clock.stroke(times.judging);
    report(session, *call.named, call.number, call.implementation,
           stopped ? stopped_taking(verdict) : verdict);
    clock.stroke(times.reporting);
  }
}

void DeviceBatch::Contents::let_go_of_results() {
  for (DeviceCall& call : calls) {
    call.result.reset();
    call.written.reset();
  }
}

DeviceBatch::DeviceBatch(Session& session) : contents_(std::make_unique<Contents>(session)) {}

DeviceBatch::~DeviceBatch() = default;

void DeviceBatch::run(const PreparedBatch& prepared, std::size_t count) {
  contents_->run(prepared, count);
}

}  // namespace indexfuzz
