#include "run/device_call.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "case/strided_copy.h"
#include "judge/fresh_result.h"

namespace indexfuzz {
namespace {

/// The first byte that a call may touch of an operand.
std::byte* accessible(const PlacedOperand& placed) {
  return placed.data - placed.front_bytes;
}
std::int64_t accessible_bytes(const PlacedOperand& placed) {
  return placed.front_bytes + placed.extent_bytes + placed.back_bytes;
}

bool holds(const PlacedOperand& placed, const std::byte* address) {
  return address >= accessible(placed) && address < accessible(placed) + accessible_bytes(placed);
}

/// The tensor whose elements lie elsewhere than in the operands: a fresh result, or an `out` that
/// was resized; null where there is none.
const ReturnedTensor* fresh_tensor(const DeviceCall& call) {
  if (call.illegal || call.observation.outcome != Outcome::kReturned) return nullptr;
  if (written_operand(*call.applied) < 0) return &call.observation.result;
  return call.laid->out_fits ? nullptr : &call.observation.written;
}

bool lies_in_operand(const DeviceCall& call, const ReturnedTensor& tensor) {
  return std::any_of(call.operands.begin(), call.operands.end(), [&](const PlacedOperand& placed) {
    return placed.count > 0 && tensor.data != nullptr && holds(placed, tensor.data);
  });
}

/// Whether what a legal call returned is, but for its elements, what was expected.
bool as_described(const DeviceCall& call) {
  const Case& c = *call.applied;
  const Observation& seen = call.observation;
  const int written = written_operand(c);
  if (seen.result_count > 1) return false;
  if (written < 0) {
    return seen.result_count == 1 && !lies_in_operand(call, seen.result) &&
           !judge_description(call.laid->result, seen.result, -1);
  }
  if (seen.result_count == 1 && seen.result.same_as_operand != written) return false;
  if (!call.laid->out_fits) return !judge_description(call.laid->result, seen.written, written);
  const Operand& operand = c.operands[static_cast<std::size_t>(written)];
  const PlacedOperand& placed = call.operands[static_cast<std::size_t>(written)];
  return (seen.written.data == placed.data || placed.count == 0) &&
         seen.written.dtype == operand.dtype && seen.written.shape == operand.shape &&
         same_strides(operand.shape, seen.written.strides, placed.view.strides);
}

/// Whether nothing was touched but what the call may write: the elements of `may_write`.
bool untouched(const Device& device, const DeviceCall& call, int may_write) {
  const auto flags = device.block_flags();
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.blocks[k] < 0) continue;
    const std::uint32_t seen = flags[static_cast<std::size_t>(call.blocks[k])];
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

bool lay_out(Device& device, DeviceCall& call) {
  const LaidOut& laid = *call.laid;
  const Case& c = *laid.c;
  call.operands.assign(laid.operands.begin(), laid.operands.end());
  call.blocks.fill(-1);
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    PlacedOperand& placed = call.operands[k];
    if (!operand.present || spec_of(c, static_cast<int>(k)).role == Role::kScalar) continue;
    const std::int64_t before_data = placed.data - placed.storage;
    if (operand.shares_memory_with >= 0) {
      placed.data = call.operands[static_cast<std::size_t>(operand.shares_memory_with)].data;
    } else {
      placed.data =
          device.place({placed.data, laid.images[k], placed.front_bytes, placed.extent_bytes,
                        placed.back_bytes, operand.guard == Guard::kLeft});
      if (placed.data == nullptr) return false;
      call.blocks[k] = static_cast<std::int32_t>(device.block_flags().size()) - 1;
    }
    placed.storage = placed.data - before_data;
  }
  if (laid.expected != nullptr) {
    device.stage(laid.expected, numel(laid.result.shape) *
                                    static_cast<std::int64_t>(item_size(laid.result.dtype)));
  }
  const auto contributors = std::as_bytes(laid.contributors);
  if (!contributors.empty())
    device.stage(contributors.data(), static_cast<std::int64_t>(contributors.size()));
  return true;
}

namespace {

/// Hands what was returned as described to the device's comparison, where its elements lie in no
/// operand's block.
void compare_on_device(Device& device, DeviceCall& call) {
  const LaidOut& laid = *call.laid;
  const ReturnedTensor* const fresh = fresh_tensor(call);
  const bool has_rivals = !laid.contributors.empty();
  if (numel(laid.result.shape) == 0 || (fresh == nullptr && !has_rivals) || !as_described(call))
    return;
  const Dims& shape = laid.result.shape;
  const auto size = static_cast<std::int64_t>(item_size(laid.result.dtype));
  if (has_rivals && fresh != nullptr) {
    device.admit({fresh->data, shape, fresh->strides, row_major_strides(shape), size, laid.expected,
                  laid.contributors});
  } else if (has_rivals) {
    const auto written = static_cast<std::size_t>(written_operand(*laid.c));
    const PlacedOperand& placed = call.operands[written];
    device.admit({placed.data, shape, placed.view.strides, laid.operands[written].view.strides,
                  size, laid.images[written], laid.contributors});
  }
  if (fresh == nullptr) return;
  call.compared = static_cast<std::int32_t>(device.result_flags().size());
  device.compare({fresh->data, shape, fresh->strides, size, laid.expected});
}

}  // namespace

void make_call(Device& device, int index, Executor& executor, int place, DeviceCall& call) {
  device.set_owner(place);
  const Placement placement{
      *call.applied,
      {call.operands.data(), call.operands.size()},
      call.laid->out_fits,
      c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index)),
      device.allocator()};
  executor.run(*call.plan, placement, call.observation);
  // Where the call was refused, that told of it.
  const DeviceError left = device.take_error();
  call.left_error = call.observation.outcome == Outcome::kReturned ? left.text : std::string();
  call.result = executor.result();
  call.written = executor.written(*call.applied);
  executor.release();
  device.set_owner(-1);
  call.compared = -1;
  if (!call.illegal && call.observation.outcome == Outcome::kReturned)
    compare_on_device(device, call);
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
      // The old elements of an `out` that was resized are nobody's.
      if (!untouched(device, call, call.laid->out_fits ? -1 : written)) return std::nullopt;
      const bool differs =
          call.compared >= 0 && device.result_flags()[static_cast<std::size_t>(call.compared)] != 0;
      if (differs) return std::nullopt;
      return plain(numel(call.laid->result.shape) == 0 ? Status::kVacuous : Status::kAgreed, seen);
    }
    case Outcome::kRefused:
      if (!untouched(device, call, written)) return std::nullopt;
      if (call.illegal) return plain(Status::kAgreed, seen);
      if (standing.is_custom && !standing.strict) return plain(Status::kRefused, seen);
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

namespace {

/// The canaries that are fetched in front of what a call may touch, and behind it.
std::int64_t in_front(const Operand& operand) {
  return operand.guard == Guard::kLeft ? 0 : kMargin;
}
std::int64_t behind(const Operand& operand) {
  return operand.guard == Guard::kLeft ? kMargin : 0;
}

void ask_for_storage(const DeviceCall& call, const ReturnedTensor& tensor,
                     std::vector<std::byte>& bytes, std::vector<DeviceCopy>& copies) {
  if (tensor.data == nullptr || tensor.storage_bytes <= 0 || lies_in_operand(call, tensor)) return;
  bytes.resize(static_cast<std::size_t>(tensor.storage_bytes));
  copies.push_back({tensor.storage, bytes.data(), tensor.storage_bytes});
}

/// Lets a tensor say where its bytes are on the host.
void translate(const DeviceCall& call, const Arena& arena, const std::vector<std::byte>& storage,
               ReturnedTensor& tensor) {
  if (tensor.data == nullptr) return;
  const std::byte* host = nullptr;
  if (!storage.empty()) host = storage.data() + (tensor.data - tensor.storage);
  for (std::size_t k = 0; host == nullptr && k < call.operands.size(); ++k) {
    const PlacedOperand& placed = call.operands[k];
    if (placed.region == nullptr && (tensor.data == placed.data || holds(placed, tensor.data)))
      host = arena.operands()[k].data + (tensor.data - placed.data);
  }
  if (host == nullptr) {  // nobody may read it
    tensor.defined = false;
    return;
  }
  tensor.storage = host - (tensor.data - tensor.storage);
  tensor.data = host;
}

}  // namespace

void ask_for(const DeviceCall& call, FetchedCall& fetched, std::vector<DeviceCopy>& copies) {
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.blocks[k] < 0) continue;
    const Operand& operand = call.applied->operands[k];
    const std::int64_t bytes =
        in_front(operand) + accessible_bytes(call.operands[k]) + behind(operand);
    fetched.blocks[k].resize(static_cast<std::size_t>(bytes));
    copies.push_back(
        {accessible(call.operands[k]) - in_front(operand), fetched.blocks[k].data(), bytes});
  }
  ask_for_storage(call, call.observation.result, fetched.result, copies);
  ask_for_storage(call, call.observation.written, fetched.written, copies);
}

Verdict judge_fetched(const DeviceCall& call, const FetchedCall& fetched, bool heap_damaged,
                      const Standing& standing, Arena& arena) {
  arena.suspect();
  arena.prepare(*call.applied);
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.blocks[k] < 0) continue;
    std::memcpy(accessible(arena.operands()[k]) - in_front(call.applied->operands[k]),
                fetched.blocks[k].data(), fetched.blocks[k].size());
  }
  Observation seen = call.observation;
  translate(call, arena, fetched.result, seen.result);
  translate(call, arena, fetched.written, seen.written);
  if (heap_damaged) {
    seen.canary_bytes = 1;
    seen.canary_note = "bytes around an allocation of its own were overwritten";
  }
  const Verdict verdict = judge(arena, seen, standing);
  arena.suspect();
  return verdict;
}

}  // namespace indexfuzz
