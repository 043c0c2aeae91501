#include "run/device_batch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "run/choose.h"
#include "run/device_call.h"
#include "run/device_library.h"
#include "run/mix.h"
#include "run/report.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kMostCases = 256;
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
    device = open_device(static_cast<int>(index), session.slot.job.device_memory, error);
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
  std::vector<DeviceCopy> copies;
  for (std::size_t i = 0; i < unsettled.size(); ++i)
    ask_for(calls[unsettled[i]], fetched[i], copies);
  if (const DeviceError error = device.fetch(copies); error.code != 0) end_with(session, error);
  for (std::size_t i = 0; i < unsettled.size(); ++i) {
    const DeviceCall& call = calls[unsettled[i]];
    const bool heap_damaged = device.damaged(static_cast<int>(unsettled[i]));
    verdicts[unsettled[i]] =
        judge_fetched(call, fetched[i], heap_damaged, standing_of(session, call), *session.arena);
  }
  return verdicts;
}

}  // namespace

struct DeviceBatch::Contents {
  explicit Contents(Session& session) : session(session), cases(kMostCases) {
    calls.reserve(4 * kMostCases);
  }
  Session& session;
  std::vector<RunnableCase> cases;
  std::vector<Case> bases = std::vector<Case>(kMostCases);  ///< of the illegal ones, legal
  std::size_t case_count = 0;
  std::vector<DeviceCall> calls;  ///< of one device
  Device* device = nullptr;
  bool counts_mix = false;
};

DeviceBatch::DeviceBatch(Session& session) : contents_(std::make_unique<Contents>(session)) {
  contents_->counts_mix =
      std::none_of(session.implementations.begin(), session.implementations.end(),
                   [](const Implementation& i) { return i.device < 0; });
}

DeviceBatch::~DeviceBatch() = default;

/// Adds a call to the batch; false where it is full, or another GPU's.
bool DeviceBatch::add_call(const DeviceCall& call) {
  Contents& batch = *contents_;
  Device& device = device_of(batch.session, call.implementation);
  if (batch.calls.empty()) {
    device.begin();
    batch.device = &device;
  }
  if (batch.device != &device) return false;
  batch.session.arena->prepare(*call.applied);
  batch.calls.push_back(call);
  if (lay_out(device, *batch.session.arena, batch.calls.back())) return true;
  batch.calls.pop_back();
  return false;
}

bool DeviceBatch::add_calls(std::uint64_t number, const Chosen& chosen) {
  Contents& batch = *contents_;
  const RunnableCase& c = batch.cases[batch.case_count];
  Case& base = batch.bases[batch.case_count];
  DeviceCall call;
  call.number = number;
  call.named = &c.named;
  for (const std::size_t i : chosen) {
    call.implementation = i;
    call.plan = plans_for(batch.session, c.named)[i];
    if (c.illegal && batch.session.implementations[i].custom) {
      base = c.named;
      base.breaks = 0;
      call.applied = &base;
      call.illegal = false;
      call.legal_base = true;
      if (!add_call(call)) return false;
    }
    call.applied = &c.applied;
    call.illegal = c.illegal;
    call.legal_base = false;
    if (!add_call(call)) return false;
  }
  return true;
}

void DeviceBatch::add(std::uint64_t number, const Case& drawn) {
  Contents& batch = *contents_;
  Chosen chosen;
  choose(batch.session, number, drawn, support_key(drawn), Where::kDevice, chosen);
  if (chosen.empty()) return;
  if (batch.case_count == kMostCases) run();
  // Once more where the batch turns out to be full.
  for (int attempt = 0; attempt < 2; ++attempt) {
    RunnableCase& c = batch.cases[batch.case_count];
    make_runnable(drawn, c);
    if (c.illegal && is_illegal_by_value(c.applied)) return;
    const std::size_t calls_before = batch.calls.size();
    if (add_calls(number, chosen)) {
      ++batch.case_count;
      if (batch.counts_mix) count_mix(batch.session.slot.mix, *batch.session.arena);
      return;
    }
    batch.calls.resize(calls_before);
    run();
  }
  for (const std::size_t i : chosen) count(tally_of(batch.session, i, drawn).unsupported);
}

void DeviceBatch::run() {
  Contents& batch = *contents_;
  if (batch.calls.empty()) {
    batch.case_count = 0;
    return;
  }
  Session& session = batch.session;
  Device& device = *batch.device;
  Slot& slot = session.slot;
  slot.batch_first.store(batch.calls.front().number, std::memory_order_relaxed);
  slot.batch_end.store(batch.calls.back().number + 1, std::memory_order_relaxed);
  const auto check = [&](const DeviceError& error) {
    if (error.code == 0) return;
    slot.case_number.store(batch.calls.front().number, std::memory_order_relaxed);
    end_with(session, error);
  };
  check(device.upload());
  const int index = session.implementations[batch.calls.front().implementation].device;
  for (std::size_t place = 0; place < batch.calls.size(); ++place) {
    DeviceCall& call = batch.calls[place];
    // Who refuses an illegal case's legal base would show nothing by refusing the case.
    call.narrowed = place > 0 && batch.calls[place - 1].legal_base &&
                    batch.calls[place - 1].observation.outcome != Outcome::kReturned;
    if (call.narrowed) continue;
    begin_call(session, call);
    make_call(device, index, session.executor, static_cast<int>(place), call);
    require_code(session, call);
  }
  check(device.finish());
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
  batch.calls.clear();
  batch.case_count = 0;
  batch.device = nullptr;
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
  session.arena->prepare(applied);
  device.begin();
  if (!lay_out(device, *session.arena, call)) {
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
  require_code(session, call);
  check(device.finish());
  end_call(session);
  session.observation = call.observation;
  return verdicts_on(session, device, std::span(&call, 1)).front();
}

}  // namespace indexfuzz
