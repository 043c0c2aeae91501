#pragma once
// One call of one implementation on a GPU: its operands laid out there, what came back compared
// there, and what differs brought back to the host's judge.

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <vector>

#include "case/far_slices.h"
#include "judge/judge.h"
#include "memory/observation.h"
#include "run/device.h"
#include "run/executor.h"
#include "run/host_operands.h"
#include "run/laid_out.h"
#include "run/plan.h"

namespace indexfuzz {

/// A call of a batch, from its layout to its verdict.
struct DeviceCall {
  // Set by whoever makes the batch.
  std::uint64_t number = 0;  ///< of its case
  const Case* named = nullptr;
  const Case* applied = nullptr;  ///< as it is run
  const LaidOut* laid = nullptr;  ///< of `applied`; all three outlive the batch
  bool illegal = false;
  bool legal_base = false;  ///< of an illegal case; made to see that a custom kernel takes it
  bool narrowed = false;    ///< not made, since the legal base was refused
  std::size_t implementation = 0;
  const Plan* plan = nullptr;

  // Set by `lay_out`.
  boost::container::static_vector<PlacedOperand, kMaxOperands> operands;  ///< device addresses
  std::array<std::int32_t, kMaxOperands> blocks{};  ///< of block_flags(); -1: none of its own
  std::int32_t first_block = 0, end_block = 0;      ///< all of them
  std::array<std::optional<FarSlices>, kMaxOperands> far{};  ///< as the operands lie on the host
  /// Of operands on the host, as they were before the call; behind it, of those that it changed.
  std::array<const std::byte*, kMaxOperands> host_copies{};

  // Set by `make_call`.
  Observation observation;
  std::int32_t compared = -1;  ///< of result_flags()
  std::string left_error;      ///< what the call left behind for others to stumble over
  at::Tensor result, written;  ///< kept until the batch has been judged
};

/// Places the operands of `call.laid`, which lies in the staged bytes of the device's batch; false
/// when the batch is full.
bool lay_out(Device& device, HostOperands& on_host, DeviceCall& call);

/// Calls, and hands a result that can be compared on the device to it. `place`: of the call in its
/// batch.
void make_call(Device& device, int index, Executor& executor, int place, DeviceCall& call);

/// The verdict where the device's flags and the description of what came back settle it: the call
/// agreed, or was refused as it may be, and nothing else was touched. None: the host must judge.
std::optional<Verdict> settled(const Device& device, int place, const DeviceCall& call,
                               const Standing& standing);

/// What only the device's flags tell, on a call with which nothing else is wrong: that its result
/// was not there yet when it returned, or that it wrote beside a slice that lies far away.
std::optional<Verdict> seen_on_device(const Device& device, const DeviceCall& call);

/// What a call may have written, brought to the host.
struct FetchedCall {
  std::array<std::vector<std::byte>, kMaxOperands> blocks;  ///< with the canaries around them
  std::vector<std::byte> result, written;                   ///< storages that lie in no operand
};

/// Adds to `copies` what the host needs to judge the call; they point into `fetched`.
void ask_for(const DeviceCall& call, FetchedCall& fetched, std::vector<DeviceCopy>& copies);

/// Lays the case out in the arena once more, puts what was fetched in its place, and judges.
Verdict judge_fetched(const DeviceCall& call, const FetchedCall& fetched, bool heap_damaged,
                      const Standing& standing, Arena& arena);

}  // namespace indexfuzz
