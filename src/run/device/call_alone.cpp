#include "run/device/call_alone.h"

#include <memory>
#include <span>

#include "run/device/device_session.h"

namespace indexfuzz {

Verdict call_on_device(Session& session, const Case& applied, bool illegal, Unjudged unjudged,
                       std::size_t implementation, const Plan& plan) {
  Device& device = device_of(session, implementation);
  DeviceCall call;
  call.number = session.slot.case_number.load();
  call.named = call.applied = &applied;
  call.illegal = illegal;
  call.unjudged = unjudged;
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
    session.observation = {};
    session.observation.outcome = Outcome::kUnsupported;
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
