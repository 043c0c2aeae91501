#include "run/gpu/device_verdict.h"

#include <algorithm>
#include <string>

namespace indexfuzz {
namespace {

/// Whether nothing was touched except what the call may write: the elements of operand `may_write`,
/// or all of it if the call resizes it.
bool untouched(const Device& device, const DeviceCall& call, int may_write) {
  if (std::ranges::any_of(call.host_copies, [](const std::byte* p) { return p != nullptr; }))
    return false;
  const auto flags = device.block_flags();
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.blocks[k] < 0) continue;
    const std::uint32_t seen =
        flags[static_cast<std::size_t>(call.blocks[k])] & ~std::uint32_t{kDeviceEarly};
    if (seen != 0 && (static_cast<int>(k) != may_write || seen != kDeviceValue)) return false;
  }
  return true;
}

Verdict plain(Status status, const Observation& observation) {
  Verdict verdict;
  verdict.status = status;
  if (observation.outcome != Outcome::kReturned) set_message(verdict, observation.message);
  return verdict;
}

}  // namespace

std::optional<Verdict> seen_on_device(const Device& device, const DeviceCall& call) {
  const auto blocks = device.block_flags();
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    const bool beside = call.far[k] && call.blocks[k] >= 0 &&
                        (blocks[static_cast<std::size_t>(call.blocks[k])] & kDeviceCanary) != 0;
    if (beside)
      return finding(Kind::kMemory, static_cast<int>(k), "wrote beside a slice of an operand");
  }
  if (call.illegal || call.observation.outcome != Outcome::kReturned) return std::nullopt;
  // It is right now, but was not when the call returned; what is wrong both times is left to the
  // judge.
  const auto early = [](std::uint32_t flags) {
    return (flags & kDeviceEarly) != 0 && (flags & kDeviceValue) == 0;
  };
  const int written = written_operand(*call.applied);
  const std::int32_t block = written >= 0 ? call.blocks[static_cast<std::size_t>(written)] : -1;
  // The device learns of several right values only at the end of the batch.
  if (!call.laid->contributors.empty()) return std::nullopt;
  const bool late = written >= 0 && call.laid->out_fits
                        ? block >= 0 && early(blocks[static_cast<std::size_t>(block)])
                        : call.compared >= 0 &&
                              early(device.result_flags()[static_cast<std::size_t>(call.compared)]);
  if (!late) return std::nullopt;
  return finding(Kind::kValue, written,
                 "the result was not there yet on the current stream when the call returned");
}

std::optional<Verdict> settled(const Device& device, int place, const DeviceCall& call,
                               const Standing& standing) {
  if (!call.left_error.empty())
    return finding(Kind::kDevice, -1, "returned and left a CUDA error behind: " + call.left_error);
  if (device.damaged(place)) return std::nullopt;
  const Observation& seen = call.observation;
  const int written = written_operand(*call.applied);
  if (seen.altered_input >= 0 || seen.shares_earlier_result) return std::nullopt;
  switch (seen.outcome) {
    case Outcome::kReturned: {
      if (call.illegal || !as_described(call)) return std::nullopt;
      // The old elements of an `out` that was resized do not matter.
      if (!untouched(device, call, call.laid->out_fits ? -1 : written)) return std::nullopt;
      const bool differs =
          call.compared >= 0 &&
          (device.result_flags()[static_cast<std::size_t>(call.compared)] & kDeviceValue) != 0;
      if (differs) return std::nullopt;
      if (const auto seen_there = seen_on_device(device, call)) return seen_there;
      return plain(numel(call.laid->result.shape) == 0 ? Status::kVacuous : Status::kAgreed, seen);
    }
    case Outcome::kRefused:
      if (!untouched(device, call, written)) return std::nullopt;
      if (call.illegal) return plain(Status::kAgreed, seen);
      if (may_refuse(standing, seen.message)) return plain(Status::kRefused, seen);
      return std::nullopt;
    case Outcome::kUnsupported:
      if (!untouched(device, call, written)) return std::nullopt;
      return plain(call.illegal ? Status::kAgreed : Status::kUnsupported, seen);
    case Outcome::kAsserted:
    case Outcome::kOutOfMemory:
    case Outcome::kForeign: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace indexfuzz
