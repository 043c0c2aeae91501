#include "run/gpu/call_alone.h"

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "run/gpu/device_session.h"
#include "run/host/host_call.h"
#include "run/session/first_call.h"
#include "run/session/judge_call.h"

namespace indexfuzz {
namespace {

// Longer than what the host does for two calls.
constexpr std::chrono::microseconds kBusyFor{2000};

/// A call, and its case as laid out on the host. Must stay where it is.
struct Placed {
  DeviceCall call;
  LaidOut laid;
};

/// False if there is no room.
bool place(Session& session, Device& device, const Case& c, Placed& placed) {
  session.arena->prepare(c);
  placed.call.applied = placed.call.named = &c;
  placed.call.laid = &placed.laid;
  return copy_out(*session.arena, *session.staging, placed.laid) &&
         lay_out(device, session.host_operands, placed.call);
}

}  // namespace

Verdict call_on_device(Session& session, const AloneCall& alone, std::size_t implementation,
                       const Plan& plan) {
  Device& device = device_of(session, implementation);
  if (session.staging == nullptr) session.staging = std::make_unique<Staging>();
  session.staging->clear();
  session.host_operands.clear();
  std::vector<Placed> placed(1 + alone.later.size());
  for (Placed& p : placed) {
    p.call.number = session.slot.case_number.load();
    p.call.implementation = implementation;
    p.call.plan = &plan;
    p.call.unjudged = Unjudged::kBlank;
  }
  DeviceCall& call = placed.front().call;
  call.illegal =
      alone.illegal || to_be_refused(session.implementations[implementation], alone.applied);
  call.unjudged = alone.unjudged;
  const bool is_custom = session.implementations[implementation].custom;
  device.begin(session.staging->begin(), alone.applied.gpu, {kBusyFor, is_custom}, 1);
  if (!place(session, device, alone.applied, placed.front())) {
    session.observation = {};
    session.observation.outcome = Outcome::kUnsupported;
    Verdict verdict;
    verdict.status = Status::kUnsupported;
    set_message(verdict, "the case does not fit into the device memory that may be used");
    return verdict;
  }
  std::size_t calls = 1;
  while (calls < placed.size() && place(session, device, alone.later[calls - 1], placed[calls]))
    ++calls;
  const auto check = [&](const DeviceError& error) {
    if (error.code != 0) end_with(session, error);
  };
  check(device.upload(Waits::kHostToo));
  // What the later calls break counts as the judged call's fault: every program that shows it makes
  // them after it.
  begin_call(session, call);
  for (std::size_t i = 0; i < calls; ++i) {
    const int index = session.implementations[implementation].device;
    make_call(device, index, {0, session.executor}, static_cast<int>(i), placed[i].call);
    if (i > 0) continue;
    end_first_call(session, implementation, plan, placed[i].call.observation.outcome);
    require_code(session, call);
  }
  check(device.finish());
  end_call(session);
  session.observation = call.observation;
  return verdicts_on(session, device, std::span(&call, 1)).front();
}

}  // namespace indexfuzz
