#include "run/gpu/device_session.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "run/gpu/device_library.h"
#include "run/gpu/device_verdict.h"
#include "run/gpu/fetched_call.h"
#include "run/host/host_call.h"
#include "run/host/returned.h"
#include "run/session/first_call.h"
#include "run/session/jobs.h"
#include "run/session/judge_call.h"

namespace indexfuzz {
namespace {

constexpr int kNoKernelImage = 209;  // cudaErrorNoKernelImageForDevice

}  // namespace

void end_with(Session& session, const DeviceError& error, int exit_code) {
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
    session.slot.patience.store(kLongPatience);
    device = open_device(static_cast<int>(index), session.slot.job.device_memory, error);
    session.slot.patience.store(0);
    if (device == nullptr) end_with(session, error, kDeviceUnusableExit);
  }
  return *device;
}

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
  slot.unjudged.store(call.unjudged, std::memory_order_relaxed);
  begin_call(session, call.implementation, *call.plan);
}
void end_call(Session& session) {
  session.slot.unjudged.store(Unjudged::kNo, std::memory_order_relaxed);
  session.slot.implementation.store(kMaxImplementations, std::memory_order_relaxed);
}

std::vector<Verdict> verdicts_on(Session& session, Device& device,
                                 std::span<const DeviceCall> calls) {
  std::vector<Verdict> verdicts(calls.size());
  std::vector<std::size_t> unsettled;
  for (std::size_t place = 0; place < calls.size(); ++place) {
    const DeviceCall& call = calls[place];
    if (call.unjudged != Unjudged::kNo || call.narrowed) continue;
    const auto verdict =
        settled(device, static_cast<int>(place), call, standing_of(session, call.implementation));
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
    const Observation seen = bring_to_host(call, fetched[i], heap_damaged, *session.arena);
    verdict = judge_call(session, call.implementation, seen);
    session.arena->mark_dirty();
    if (session.slot.job.keep_returned) keep_returned(seen, session.slot.returned);
    if (verdict.status == Status::kFinding) continue;
    if (const auto seen = seen_on_device(device, call)) verdict = *seen;
  }
  return verdicts;
}

void try_gpu(Session& session) {
  const std::uint32_t implementation = session.slot.job.implementation;
  if (implementation >= session.implementations.size()) return;
  const int index = session.implementations[implementation].device;
  if (index < 0) return;
  const DeviceError error = try_device(index);
  if (error.code != 0) end_with(session, error, kDeviceUnusableExit);
}

void open_device_of(Session& session, std::size_t implementation) {
  if (session.implementations[implementation].on_gpu()) device_of(session, implementation);
}

}  // namespace indexfuzz
