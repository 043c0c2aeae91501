#pragma once
// What a worker holds while it carries out a job.

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/arena.h"
#include "memory/observation.h"
#include "run/call/executor.h"
#include "run/call/implementation.h"
#include "run/call/support_table.h"
#include "run/device/device.h"
#include "run/device/device_times.h"
#include "run/device/host_operands.h"
#include "run/device/staging.h"
#include "run/session/ran_lately.h"
#include "run/session/steering.h"
#include "run/shared/protocol.h"

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
  std::string changed_state;  ///< what kernels changed of global state in this batch, before it was
                              ///< put back
};

/// The implementations' plans for the case's form, parallel to `implementations`, null for one that
/// lacks it; empty if no operator has such a form.
std::span<const Plan* const> plans_for(const Session& session, const Case& c);

/// The place of an implementation's plan in Session::plans and Session::called.
std::size_t place_of(const Session& session, std::size_t implementation, const Plan& plan);

/// Whether all memory outside operands and allocations is unchanged; slow, for once a batch.
bool memory_intact(Session& session);

/// Replaces the arena by an undamaged one.
void renew_arena(Session& session);

}  // namespace indexfuzz
