#pragma once
// One call of one implementation on a GPU: its operands laid out there, the call, and what came
// back handed to the device's comparison.

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <vector>

#include "case/far_slices.h"
#include "memory/observation.h"
#include "run/call/executor.h"
#include "run/call/plan.h"
#include "run/device/device.h"
#include "run/device/host_operands.h"
#include "run/gpu/laid_out.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// A call of a batch, from its layout to its verdict.
struct DeviceCall {
  // Set by the maker of the batch.
  std::uint64_t number = 0;  ///< of its case
  const Case* named = nullptr;
  const Case* applied = nullptr;  ///< as it is run
  const LaidOut* laid = nullptr;  ///< of `applied`; all three outlive the batch
  bool illegal = false;
  Unjudged unjudged = Unjudged::kNo;
  bool narrowed = false;  ///< not made, since the legal base was refused
  std::size_t implementation = 0;
  const Plan* plan = nullptr;

  // Set by `lay_out`.
  boost::container::static_vector<PlacedOperand, kMaxOperands> operands;  ///< device addresses
  std::array<std::int32_t, kMaxOperands> blocks{};  ///< indices into block_flags(); -1: no own one
  std::int32_t first_block = 0, end_block = 0;      ///< the range of its blocks
  std::array<std::optional<FarSlices>, kMaxOperands> far{};  ///< set if its slices lie far apart
  /// Of operands on the host: copies made before the call. After the call they are kept only for
  /// operands that it changed.
  std::array<const std::byte*, kMaxOperands> host_copies{};

  // Set by `make_call`.
  Observation observation;
  std::int32_t compared = -1;   ///< index into result_flags(); -1: not compared
  std::string left_error;       ///< the CUDA error that the call left behind without reporting it
  std::int64_t kept_bytes = 0;  ///< of the device's memory, if its batch is metered
  at::Tensor result, written;   ///< kept until the batch has been judged
};

/// Places the operands of `call.laid`, which lies in the staged bytes of the device's batch; false
/// if the batch is full.
bool lay_out(Device& device, HostOperands& on_host, DeviceCall& call);

/// What each thread that makes calls on a GPU has of its own.
struct Lane {
  int number;  ///< see Device
  Executor& executor;
};

/// Makes the call, and hands its result to the device's comparison if the device can compare it.
/// `index`: of the GPU. `place`: of the call in its batch.
void make_call(Device& device, int index, const Lane& lane, int place, DeviceCall& call);

/// The places of an operand's slices that lie far apart; `call.far` must hold them.
FarPlaces far_places(const DeviceCall& call, std::size_t operand);

/// The memory of an operand that a call may touch.
std::byte* accessible(const PlacedOperand& placed);
std::int64_t accessible_bytes(const PlacedOperand& placed);
/// Whether an address of the device lies in that memory.
bool holds(const DeviceCall& call, std::size_t operand, const std::byte* address);
bool lies_in_operand(const DeviceCall& call, const ReturnedTensor& tensor);

/// The tensor whose elements lie outside the operands: a fresh result, or an `out` that was
/// resized; null if there is none.
const ReturnedTensor* fresh_tensor(const DeviceCall& call);
/// Whether what a legal call returned is as expected, apart from its elements.
bool as_described(const DeviceCall& call);

}  // namespace indexfuzz
