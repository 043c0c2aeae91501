#include "run/gpu/device_call.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "case/strided_copy.h"
#include "judge/fresh_result.h"
#include "judge/judge.h"
#include "memory/far_operands.h"
#include "memory/placement.h"

namespace indexfuzz {
namespace {

/// False if the batch is full.
bool place_operand(Device& device, HostOperands& on_host, std::size_t k, DeviceCall& call) {
  const LaidOut& laid = *call.laid;
  const Case& c = *laid.c;
  const Operand& operand = c.operands[k];
  PlacedOperand& placed = call.operands[k];
  if (operand.on_host) {
    const std::int64_t gap = bytes_behind_guard(placed.view, operand.dtype);
    std::byte* const begin = on_host.take(gap + placed.extent_bytes);
    std::byte* const copy = on_host.take(placed.extent_bytes);
    if (begin == nullptr || copy == nullptr) return false;
    placed.data = begin + gap;
    call.host_copies[k] = copy;
    for (std::byte* const to : {placed.data, copy})
      std::memcpy(to, laid.operands[k].data, static_cast<std::size_t>(placed.extent_bytes));
    return true;
  }
  const Role role = spec_of(c, static_cast<int>(k)).role;
  if (are_apart(operand.slices)) call.far[k] = far_slices(operand);
  put_at_end_of_table(operand, placed);
  const std::span<const std::byte> own = own_memory(laid.operands[k]);
  const std::int64_t into_own = laid.operands[k].data - own.data();
  const DeviceBlock block{.extent = own.data(),
                          .image = laid.images[k],
                          .front_bytes = placed.is_resized ? 0 : placed.front_bytes,
                          .extent_bytes = static_cast<std::int64_t>(own.size()),
                          .back_bytes = placed.is_resized ? 0 : placed.back_bytes,
                          .flush_left = operand.guard == Guard::kLeft,
                          .far = call.far[k] ? far_places(call, k) : FarPlaces{},
                          .bytes_in_front = placed.bytes_in_front,
                          .zeros_while_pending = role == Role::kIndex ||
                                                 role == Role::kIndexOrMask || role == Role::kMask,
                          .gap_bytes = placed.gap_bytes,
                          .canary = placed.canary};
  placed.data = device.place(block);
  if (placed.data == nullptr) return false;
  placed.data += into_own;
  if (call.far[k]) widen(*call.far[k], operand.dtype, placed);
  call.blocks[k] = static_cast<std::int32_t>(device.block_flags().size()) - 1;
  return true;
}

/// Hands a result that is as described to the device's comparison, if its elements lie in no
/// operand's block, and contributors wherever the elements lie.
void compare_on_device(Device& device, int lane, DeviceCall& call) {
  const LaidOut& laid = *call.laid;
  const ReturnedTensor* const fresh = fresh_tensor(call);
  const bool has_rivals = !laid.contributors.empty();
  if (numel(laid.result.shape) == 0 || (fresh == nullptr && !has_rivals) || !as_described(call))
    return;
  const Dims& shape = laid.result.shape;
  const auto size = static_cast<std::int64_t>(item_size(laid.result.dtype));
  if (has_rivals && fresh != nullptr) {
    device.admit({.data = fresh->data,
                  .shape = shape,
                  .strides = fresh->strides,
                  .expected_strides = row_major_strides(shape),
                  .item_size = size,
                  .expected = laid.expected,
                  .contributors = laid.contributors});
  } else if (has_rivals) {
    const auto written = static_cast<std::size_t>(written_operand(*laid.c));
    const PlacedOperand& placed = call.operands[written];
    device.admit({.data = placed.data,
                  .shape = shape,
                  .strides = placed.view.strides,
                  .expected_strides = laid.operands[written].view.strides,
                  .item_size = size,
                  .expected = laid.images[written],
                  .contributors = laid.contributors});
  }
  if (fresh == nullptr) return;
  call.compared = device.compare(lane, {.data = fresh->data,
                                        .shape = shape,
                                        .strides = fresh->strides,
                                        .item_size = size,
                                        .expected = laid.expected});
}

/// To be called after a call. Overwrites what the call has not changed, since its owner may free it
/// now: a kernel that still reads it does not find its value.
void take_back_from_host(DeviceCall& call) {
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.host_copies[k] == nullptr) continue;
    const PlacedOperand& placed = call.operands[k];
    const auto bytes = static_cast<std::size_t>(placed.extent_bytes);
    if (std::memcmp(placed.data, call.host_copies[k], bytes) != 0) continue;
    std::memset(placed.data, static_cast<int>(kCanary), bytes);
    call.host_copies[k] = nullptr;
  }
}

}  // namespace

std::byte* accessible(const PlacedOperand& placed) {
  return placed.data - placed.front_bytes;
}
std::int64_t accessible_bytes(const PlacedOperand& placed) {
  return placed.front_bytes + placed.extent_bytes + placed.back_bytes;
}

FarPlaces far_places(const DeviceCall& call, std::size_t operand) {
  return in_bytes(*call.far[operand], call.applied->operands[operand].dtype);
}

bool holds(const DeviceCall& call, std::size_t operand, const std::byte* address) {
  const PlacedOperand& placed = call.operands[operand];
  if (address < accessible(placed) || address >= accessible(placed) + accessible_bytes(placed))
    return false;
  if (!call.far[operand]) return true;
  // Other operands may lie between its slices.
  return in_slice(far_places(call, operand), address - placed.data);
}

bool lies_in_operand(const DeviceCall& call, const ReturnedTensor& tensor) {
  if (tensor.data == nullptr) return false;
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.operands[k].count > 0 && holds(call, k, tensor.data)) return true;
  }
  return false;
}

bool lay_out(Device& device, HostOperands& on_host, DeviceCall& call) {
  const LaidOut& laid = *call.laid;
  const Case& c = *laid.c;
  call.operands.assign(laid.operands.begin(), laid.operands.end());
  call.blocks.fill(-1);
  call.far.fill(std::nullopt);
  call.host_copies.fill(nullptr);
  call.first_block = static_cast<std::int32_t>(device.block_flags().size());
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    PlacedOperand& placed = call.operands[k];
    if (!operand.present || spec_of(c, static_cast<int>(k)).role == Role::kScalar) continue;
    const std::int64_t before_data = placed.data - placed.storage;
    if (operand.shares_memory_with >= 0) {
      placed.data =
          call.operands[static_cast<std::size_t>(operand.shares_memory_with)].storage + before_data;
    } else {
      if (!place_operand(device, on_host, k, call)) return false;
    }
    placed.storage = placed.data - before_data;
  }
  call.end_block = static_cast<std::int32_t>(device.block_flags().size());
  if (laid.expected != nullptr) {
    device.stage(laid.expected, numel(laid.result.shape) *
                                    static_cast<std::int64_t>(item_size(laid.result.dtype)));
  }
  const auto contributors = std::as_bytes(laid.contributors);
  if (!contributors.empty())
    device.stage(contributors.data(), static_cast<std::int64_t>(contributors.size()));
  return true;
}

const ReturnedTensor* fresh_tensor(const DeviceCall& call) {
  if (call.illegal || call.observation.outcome != Outcome::kReturned) return nullptr;
  if (written_operand(*call.applied) < 0) return &call.observation.result;
  return call.laid->out_fits ? nullptr : &call.observation.written;
}

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
  const Operand& operand = operand_at(c, written);
  const PlacedOperand& placed = call.operands[static_cast<std::size_t>(written)];
  return !judge_flags(seen.written, written) && is_same_view(operand, placed, seen.written);
}

void make_call(Device& device, int index, const Lane& lane, int place, DeviceCall& call) {
  Executor& executor = lane.executor;
  device.before_call(lane.number, place, call.first_block, call.end_block);
  const Placement placement{
      .c = *call.applied,
      .operands = {call.operands.data(), call.operands.size()},
      .out_fits = call.laid->out_fits,
      .device = c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index)),
      .allocator = device.allocator()};
  executor.run(*call.plan, placement, call.observation);
  // A refused call has reported its error already.
  const DeviceError left = device.take_error();
  const int written = written_operand(*call.applied);
  device.after_call(lane.number,
                    written >= 0 ? call.blocks[static_cast<std::size_t>(written)] : -1);
  take_back_from_host(call);
  call.left_error = call.observation.outcome == Outcome::kReturned ? left.text : std::string();
  call.result = executor.result();
  call.written = executor.written(*call.applied);
  executor.release();
  call.compared = -1;
  if (!call.illegal && call.observation.outcome == Outcome::kReturned)
    compare_on_device(device, lane.number, call);
}

}  // namespace indexfuzz
