#pragma once
// What a worker holds while it carries out a job.

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/judge.h"
#include "memory/arena.h"
#include "memory/observation.h"
#include "ops/contract/keeps.h"
#include "run/call/executor.h"
#include "run/call/implementation.h"
#include "run/call/support_table.h"
#include "run/device/device.h"
#include "run/device/device_times.h"
#include "run/device/host_operands.h"
#include "run/device/staging.h"
#include "run/ran_lately.h"
#include "run/runnable.h"
#include "run/shared/protocol.h"
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
  std::unique_ptr<Staging> staging;  ///< for calls on a GPU that are made alone
  HostOperands host_operands;        ///< for the batch on a GPU
  Executor executor;
  Observation observation;
  std::vector<SupportTable> support;  ///< parallel to implementations
  std::vector<const Plan*> plans;     ///< see plans_for
  Steering steering;
  RanLately ran;                     ///< on the host only
  std::vector<std::uint8_t> called;  ///< parallel to `plans`: 1 once such a call has returned
  int parent;                        ///< the parent process; this one ends when it is gone
  bool has_custom;                   ///< whether an implementation on the host is custom
  /// The process has no memory left or is otherwise broken: it must not run another case.
  bool spent = false;
  std::string changed_state;  ///< what kernels changed in this batch; it is put back already
};

/// The implementations' plans for the case's form, parallel to `implementations`, null for one that
/// lacks it; empty if no operator has such a form.
std::span<const Plan* const> plans_for(const Session& session, const Case& c);

/// What a contract leaves out of a case that the implementation must therefore refuse although
/// ATen takes it; none if it need not.
std::optional<Breach> to_be_refused(const Implementation& implementation, const Case& named);

/// Harmless cases for a first call: the plainest one of the plan's form and, for a kernel that
/// takes less, one with the attributes, dtypes and settings of `like` and a single zero in each
/// operand. Without those that the implementation's contract leaves out.
std::vector<Case> warming_up(const Implementation& implementation, const Plan& plan,
                             const Case& like);

/// The verdict on what came back from a call on the case in the arena.
Verdict judge_call(Session& session, std::size_t implementation, const Observation& observation);

/// How strictly the implementation is judged in this job.
Standing standing_of(const Session& session, std::size_t implementation);

/// With kReadOnly, a call that writes into an input ends the process.
enum class Inputs : bool { kWritable, kReadOnly };
/// Calls an implementation on the case in the arena and judges what came back. Frees the results.
Verdict call(Session& session, std::size_t implementation, const Plan& plan,
             Inputs inputs = Inputs::kWritable);

/// Makes the arena ready for another call on the case that it holds, after a call that was judged.
void lay_out_again(Session& session, const Case& applied);
/// As call(), but without a judgement: the results stay alive until forget().
void observe(Session& session, std::size_t implementation, const Plan& plan);
void forget(Session& session, std::size_t implementation, const Plan& plan);

/// Tells the supervisor, which looks for progress, that a call is under way.
void begin_call(Session& session, std::size_t implementation, const Plan& plan);

/// For an illegal case, whose legal base must lie in the arena: whether the implementation accepts
/// the base. Leaves what came back in `session.observation`.
bool accepts_base(Session& session, std::size_t implementation, const Plan& plan);

/// Slot::patience, in seconds.
inline constexpr std::uint32_t kLongPatience = 60, kShortPatience = 20;

/// Whether no call of a custom implementation by this plan has returned yet in this process. The
/// first call that it does not refuse may compile something, which takes long and is not a hang: in
/// Python or on a GPU up to a minute, elsewhere not as long. begin_first_call() and
/// end_first_call() enclose such calls.
bool is_first_call(const Session& session, std::size_t implementation, const Plan& plan);
void begin_first_call(Session& session, std::size_t implementation, const Plan& plan);
void end_first_call(Session& session, std::size_t implementation, const Plan& plan,
                    Outcome outcome);

/// If is_first_call(), calls a custom implementation on the cases of warming_up() until it takes
/// one, so that what it compiles at first is compiled. The results are ignored.
void warm_up(Session& session, std::size_t implementation, const Plan& plan, const Case& like);

/// Whether all memory outside operands and allocations is unchanged; slow, for once a batch.
bool memory_intact(Session& session);

/// Replaces the arena by an undamaged one.
void renew_arena(Session& session);

/// The verdict on a call that wrote far from everything it was given.
Verdict stray_write();

}  // namespace indexfuzz
