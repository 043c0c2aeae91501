#pragma once
// What a worker holds while it carries out a job.

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "judge/judge.h"
#include "memory/arena.h"
#include "memory/observation.h"
#include "run/call/executor.h"
#include "run/call/implementation.h"
#include "run/call/support_table.h"
#include "run/device/device.h"
#include "run/device/device_times.h"
#include "run/device/host_operands.h"
#include "run/device/staging.h"
#include "run/protocol.h"
#include "run/ran_lately.h"
#include "run/runnable.h"
#include "run/steering.h"

namespace indexfuzz {

struct Session {
  Session(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot);

  std::span<const Implementation> implementations;
  SharedMemory& memory;
  Slot& slot;
  std::unique_ptr<Arena> arena;
  std::array<Device*, kMaxDevices> devices{};  ///< opened when first needed, never closed
  DeviceTimes device_times;
  std::unique_ptr<Staging> staging;  ///< of calls on a GPU that are made alone
  HostOperands host_operands;        ///< of the batch on a GPU
  Executor executor;
  Observation observation;
  std::vector<SupportTable> support;  ///< parallel to implementations
  std::vector<const Plan*> plans;     ///< see plans_for
  Steering steering;
  RanLately ran;                     ///< on the host
  std::vector<std::uint8_t> called;  ///< parallel to `plans`: 1 once the plan has been called
  int parent;                        ///< the process without which this one must end
  bool has_custom;                   ///< among the implementations on the host
  /// The process has no memory left, or is broken otherwise: no case is run in it any more.
  bool spent = false;
  std::string changed_state;  ///< what a kernel changed in this batch, and was put back already
};

/// The implementations' plans for the case's form, null where one lacks it, parallel to
/// `implementations`; empty for a form that no operator has.
std::span<const Plan* const> plans_for(const Session& session, const Case& c);

/// As what it is judged in this job.
Standing standing_of(const Session& session, std::size_t implementation);

/// Where inputs are read-only, a call that writes into one ends the process.
enum class Inputs : bool { kWritable, kReadOnly };
/// Calls an implementation on the case in the arena and judges what came back. Frees the results.
Verdict call(Session& session, std::size_t implementation, const Plan& plan,
             Inputs inputs = Inputs::kWritable);

/// Makes the arena ready for another call of the case that it holds, after one that was judged.
void lay_out_again(Session& session, const Case& applied);
/// The same without a judgement: what came back is in `session.observation` until it is forgotten.
void observe(Session& session, std::size_t implementation, const Plan& plan);
void forget(Session& session, std::size_t implementation, const Plan& plan);

/// Tells the supervisor, which looks for progress, that the call is under way.
void begin_call(Session& session, std::size_t implementation, const Plan& plan);

/// For an illegal case: whether the implementation accepts its legal base, which must lie in the
/// arena. Leaves what came back in `session.observation`.
bool accepts_base(Session& session, std::size_t implementation, const Plan& plan);

/// Whether a custom implementation has returned from no call by the plan's form in this process: in
/// the first that it does not refuse it may compile something, which takes long and is no hang.
/// Around such calls stand `begin` and `end`.
bool is_first_call(const Session& session, std::size_t implementation, const Plan& plan);
void begin_first_call(Session& session, std::size_t implementation, const Plan& plan);
void end_first_call(Session& session, std::size_t implementation, const Plan& plan,
                    Outcome outcome);

/// Calls a custom implementation, if that has not been done yet in this process, on the plainest
/// case of the plan's form and forgets what came of it, so that what it compiles at first is
/// compiled.
void warm_up(Session& session, std::size_t implementation, const Plan& plan);

/// Whether all memory that no operand and no allocation occupies is as it was; for once a batch.
bool memory_intact(Session& session);

/// An arena without damage.
void renew_arena(Session& session);

/// The verdict on a call that wrote far from everything it was given.
Verdict stray_write();

}  // namespace indexfuzz
