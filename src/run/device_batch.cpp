#include "run/device_batch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "run/choose.h"
#include "run/device_call.h"
#include "run/device_leak.h"
#include "run/device_library.h"
#include "run/mix.h"
#include "run/report.h"

namespace indexfuzz {
namespace {

constexpr int kNoKernelImage = 209;  // cudaErrorNoKernelImageForDevice

/// Tells the supervisor what the device said, and ends: its context is of no use any more.
[[noreturn]] void end_with(Session& session, const DeviceError& error,
                           int exit_code = kDeviceErrorExit) {
  Slot& slot = session.slot;
  std::snprintf(slot.device_message, sizeof slot.device_message, "%s", error.text.c_str());
  slot.device_error.store(error.code == 0 ? -1 : error.code, std::memory_order_release);
  _exit(exit_code);
}

Device& device_of(Session& session, std::size_t implementation) {
  const auto index = static_cast<std::size_t>(session.implementations[implementation].device);
  Device*& device = session.devices[index];
  if (device == nullptr) {
    DeviceError error;
    session.slot.takes_longer.store(1);
    device = open_device(static_cast<int>(index), session.slot.job.device_memory, error);
    session.slot.takes_longer.store(0);
    if (device == nullptr) end_with(session, error, kDeviceUnusableExit);
  }
  return *device;
}

/// Ends the process where the implementation was not compiled for this GPU: its launches fail, but
/// harm nothing.
void require_code(Session& session, const DeviceCall& call) {
  constexpr std::string_view kNoCode = "no kernel image is available";
  for (const std::string* text : {&call.observation.message, &call.left_error}) {
    if (text->find(kNoCode) == std::string::npos) continue;
    const auto& name = session.implementations[call.implementation].name;
    end_with(session, {kNoKernelImage, name + " has no code for this GPU; compile it for it"},
             kDeviceUnusableExit);
  }
}

void begin_call(Session& session, const DeviceCall& call) {
  Slot& slot = session.slot;
  slot.case_number.store(call.number, std::memory_order_relaxed);
  slot.implementation.store(static_cast<std::uint32_t>(call.implementation),
                            std::memory_order_relaxed);
  slot.legal_base.store(call.legal_base ? 1 : 0, std::memory_order_relaxed);
  begin_first_call(session, call.implementation, *call.plan);
  slot.calling.store(1, std::memory_order_release);
}
void end_call(Session& session) {
  session.slot.calling.store(0, std::memory_order_release);
  session.slot.legal_base.store(0, std::memory_order_relaxed);
  session.slot.implementation.store(kMaxImplementations, std::memory_order_relaxed);
}

Standing standing_of(const Session& session, const DeviceCall& call) {
  return {session.implementations[call.implementation].custom, session.slot.job.strict};
}

/// The verdicts on the calls of a batch, in their order; of those not to be judged a plain one.
std::vector<Verdict> verdicts_on(Session& session, Device& device,
                                 std::span<const DeviceCall> calls) {
  std::vector<Verdict> verdicts(calls.size());
  std::vector<std::size_t> unsettled;
  for (std::size_t place = 0; place < calls.size(); ++place) {
    const DeviceCall& call = calls[place];
    if (call.legal_base || call.narrowed) continue;
    const auto verdict = settled(device, static_cast<int>(place), call, standing_of(session, call));
    if (verdict) {
      verdicts[place] = *verdict;
    } else {
      unsettled.push_back(place);
    }
  }
  if (unsettled.empty()) return verdicts;
  std::vector<FetchedCall> fetched(unsettled.size());
  session.device_times.fetched += unsettled.size();
  std::vector<DeviceCopy> copies;
  for (std::size_t i = 0; i < unsettled.size(); ++i)
    ask_for(calls[unsettled[i]], fetched[i], copies);
  if (const DeviceError error = device.fetch(copies); error.code != 0) end_with(session, error);
  for (std::size_t i = 0; i < unsettled.size(); ++i) {
    const DeviceCall& call = calls[unsettled[i]];
    const bool heap_damaged = device.damaged(static_cast<int>(unsettled[i]));
    Verdict& verdict = verdicts[unsettled[i]];
    verdict =
        judge_fetched(call, fetched[i], heap_damaged, standing_of(session, call), *session.arena);
    if (verdict.status == Status::kFinding) continue;
    if (const auto seen = seen_on_device(device, call)) verdict = *seen;
  }
  return verdicts;
}

}  // namespace

struct DeviceBatch::Contents {
  /// A case for an implementation that is to run it.
  struct Planned {
    const PreparedCase* c;
    std::size_t implementation;
  };
  explicit Contents(Session& session) : session(session) {}
  Session& session;
  GpuSettings settings;  ///< of all its calls
  DeviceLeakWatch leaks;
  DeviceTimes counted;                                 ///< of the session's times, in its slot
  std::array<DeviceCounts, kMaxDevices> counted_of{};  ///< the same of each device
  bool counts_mix = false;
  std::vector<Planned> planned;
  std::vector<DeviceCall> calls;  ///< that go to one device together
};

DeviceBatch::DeviceBatch(Session& session) : contents_(std::make_unique<Contents>(session)) {
  contents_->counts_mix =
      std::none_of(session.implementations.begin(), session.implementations.end(),
                   [](const Implementation& i) { return i.device < 0; });
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

/// Adds the calls of a case on one implementation; false where the device's batch is full.
bool DeviceBatch::add_calls(const PreparedCase& c, std::size_t implementation) {
  Contents& batch = *contents_;
  Device& device = device_of(batch.session, implementation);
  const auto add = [&](const LaidOut& laid, bool illegal, bool legal_base) {
    DeviceCall& call = batch.calls.emplace_back();
    call.number = c.number;
    call.named = &c.named();
    call.applied = laid.c;
    call.laid = &laid;
    call.illegal = illegal;
    call.legal_base = legal_base;
    call.implementation = implementation;
    call.plan = plans_for(batch.session, *call.named)[implementation];
    return lay_out(device, batch.session.host_operands, call);
  };
  const bool base_first = c.is_illegal && batch.session.implementations[implementation].custom;
  return (!base_first || add(c.legal_base, false, true)) && add(c.applied, c.is_illegal, false);
}

/// Gathers planned calls for one device, from `next` on, until it is full; says what comes then.
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
          .begin(prepared.stagings[staging]->begin(), batch.settings);
      batch.session.host_operands.clear();
    }
    if (c->staging != staging || c->named().gpu != batch.settings) break;
    if (add_calls(*c, implementation)) continue;
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

void DeviceBatch::run_gathered(int device_index) {
  Contents& batch = *contents_;
  Session& session = batch.session;
  Device& device = *session.devices[static_cast<std::size_t>(device_index)];
  Slot& slot = session.slot;
  slot.batch_first.store(batch.calls.front().number, std::memory_order_relaxed);
  slot.batch_end.store(batch.calls.back().number + 1, std::memory_order_relaxed);
  const auto check = [&](const DeviceError& error) {
    if (error.code == 0) return;
    slot.case_number.store(batch.calls.front().number, std::memory_order_relaxed);
    end_with(session, error);
  };
  DeviceTimes& times = session.device_times;
  PhaseClock clock;
  check(device.upload());
  clock.stroke(times.placing);
  for (std::size_t place = 0; place < batch.calls.size(); ++place) {
    DeviceCall& call = batch.calls[place];
    // Who refuses an illegal case's legal base would show nothing by refusing the case.
    call.narrowed = place > 0 && batch.calls[place - 1].legal_base &&
                    batch.calls[place - 1].observation.outcome != Outcome::kReturned;
    if (call.narrowed) continue;
    begin_call(session, call);
    make_call(device, device_index, session.executor, static_cast<int>(place), call);
    end_first_call(session, call.implementation, *call.plan);
    require_code(session, call);
  }
  clock.stroke(times.calling);
  check(device.finish());
  clock.stroke(times.checking);
  end_call(session);
  const std::vector<Verdict> verdicts = verdicts_on(session, device, batch.calls);
  for (std::size_t place = 0; place < batch.calls.size(); ++place) {
    const DeviceCall& call = batch.calls[place];
    const Verdict& verdict = verdicts[place];
    if (call.legal_base) continue;
    Tally& counters = tally_of(session, call.implementation, *call.named);
    if (call.narrowed) {
      count(counters.refused);
      count(counters.narrowed);
      continue;
    }
    slot.case_number.store(call.number, std::memory_order_relaxed);
    tally(counters, verdict, call.illegal);
    if (!call.illegal) {
      note_support(session, call.implementation, support_key(*call.named), call.observation.outcome,
                   verdict.status);
    }
    if (verdict.status == Status::kFinding)
      report(session, *call.named, call.number, call.implementation, verdict);
  }
  slot.batch_end.store(0, std::memory_order_relaxed);
  times.calls += batch.calls.size();
  for (DeviceCall& call : batch.calls) {
    call.result.reset();
    call.written.reset();
  }
  batch.leaks.look(session, device, batch.calls,
                   [&](const DeviceCall& call, const Verdict& verdict) {
                     tally(tally_of(session, call.implementation, *call.named), verdict, false);
                     report(session, *call.named, call.number, call.implementation, verdict);
                   });
  batch.calls.clear();
  clock.stroke(times.judging);
}

void open_device_of(Session& session, std::size_t implementation) {
  if (session.implementations[implementation].device >= 0) device_of(session, implementation);
}

Verdict call_on_device(Session& session, const Case& applied, bool illegal, bool legal_base,
                       std::size_t implementation, const Plan& plan) {
  Device& device = device_of(session, implementation);
  DeviceCall call;
  call.number = session.slot.case_number.load();
  call.named = call.applied = &applied;
  call.illegal = illegal;
  call.legal_base = legal_base;
  call.implementation = implementation;
  call.plan = &plan;
  if (session.staging == nullptr) session.staging = std::make_unique<Staging>();
  Staging& staging = *session.staging;
  staging.clear();
  session.arena->prepare(applied);
  LaidOut laid;
  call.laid = &laid;
  device.begin(staging.begin(), applied.gpu);
  session.host_operands.clear();
  if (!copy_out(*session.arena, staging, laid) || !lay_out(device, session.host_operands, call)) {
    Verdict verdict;
    verdict.status = Status::kUnsupported;
    set_message(verdict, "the case does not fit into the device memory that may be used");
    return verdict;
  }
  const auto check = [&](const DeviceError& error) {
    if (error.code != 0) end_with(session, error);
  };
  check(device.upload());
  begin_call(session, call);
  make_call(device, session.implementations[implementation].device, session.executor, 0, call);
  end_first_call(session, implementation, plan);
  require_code(session, call);
  check(device.finish());
  end_call(session);
  session.observation = call.observation;
  return verdicts_on(session, device, std::span(&call, 1)).front();
}

}  // namespace indexfuzz
