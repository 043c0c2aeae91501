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

std::int64_t item(const DeviceCall& call, std::size_t operand) {
  return static_cast<std::int64_t>(item_size(call.applied->operands[operand].dtype));
}

FarPlaces far_places(const FarSlices& slices, std::int64_t item) {
  return {slices.count, slices.stride * item, slices.extent * item, kFarStride * item};
}

bool holds(const DeviceCall& call, std::size_t operand, const std::byte* address) {
  const PlacedOperand& placed = call.operands[operand];
  if (address < accessible(placed) || address >= accessible(placed) + accessible_bytes(placed))
    return false;
  if (!call.far[operand]) return true;
  // Others lie between its slices.
  const FarPlaces far = far_places(*call.far[operand], item(call, operand));
  return (address - placed.data) % far.apart_bytes < far.slice_bytes;
}

/// The tensor whose elements lie elsewhere than in the operands: a fresh result, or an `out` that
/// was resized; null where there is none.
const ReturnedTensor* fresh_tensor(const DeviceCall& call) {
  if (call.illegal || call.observation.outcome != Outcome::kReturned) return nullptr;
  if (written_operand(*call.applied) < 0) return &call.observation.result;
  return call.laid->out_fits ? nullptr : &call.observation.written;
}

bool lies_in_operand(const DeviceCall& call, const ReturnedTensor& tensor) {
  if (tensor.data == nullptr) return false;
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.operands[k].count > 0 && holds(call, k, tensor.data)) return true;
  }
  return false;
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

/// Apart from each other on the device what on the host lies together.
void spread(const FarSlices& slices, std::int64_t item, PlacedOperand& placed) {
  const std::int64_t more = (slices.count - 1) * (kFarStride - slices.stride) * item;
  placed.view.strides[slices.dimension] = kFarStride;
  placed.view.extent += more / item;
  placed.view.storage_elements += more / item;
  placed.extent_bytes += more;
  placed.storage_bytes += more;
}

/// False when the batch is full.
bool place_operand(Device& device, HostOperands& on_host, std::size_t k, DeviceCall& call) {
  const LaidOut& laid = *call.laid;
  const Case& c = *laid.c;
  const Operand& operand = c.operands[k];
  PlacedOperand& placed = call.operands[k];
  const std::byte* const extent = laid.operands[k].data;
  if (operand.on_host) {
    placed.data = on_host.take(placed.extent_bytes);
    std::byte* const copy = on_host.take(placed.extent_bytes);
    if (placed.data == nullptr || copy == nullptr) return false;
    call.host_copies[k] = copy;
    for (std::byte* const to : {placed.data, copy})
      std::memcpy(to, extent, static_cast<std::size_t>(placed.extent_bytes));
    return true;
  }
  const Role role = spec_of(c, static_cast<int>(k)).role;
  if (operand.far) call.far[k] = far_slices(operand);
  DeviceBlock block{extent,
                    laid.images[k],
                    placed.front_bytes,
                    placed.extent_bytes,
                    placed.back_bytes,
                    operand.guard == Guard::kLeft,
                    {},
                    role == Role::kIndex || role == Role::kIndexOrMask || role == Role::kMask};
  if (call.far[k]) block.far = far_places(*call.far[k], item(call, k));
  placed.data = device.place(block);
  if (placed.data == nullptr) return false;
  if (call.far[k]) spread(*call.far[k], item(call, k), placed);
  call.blocks[k] = static_cast<std::int32_t>(device.block_flags().size()) - 1;
  return true;
}

}  // namespace

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
      placed.data = call.operands[static_cast<std::size_t>(operand.shares_memory_with)].data;
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

/// Behind a call. What it has not changed is overwritten, since its owner may free it now: a
/// kernel that still reads it does not find its value.
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

void make_call(Device& device, int index, Executor& executor, int place, DeviceCall& call) {
  device.before_call(place, call.first_block, call.end_block);
  const Placement placement{
      *call.applied,
      {call.operands.data(), call.operands.size()},
      call.laid->out_fits,
      c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index)),
      device.allocator()};
  executor.run(*call.plan, placement, call.observation);
  // Where the call was refused, that told of it.
  const DeviceError left = device.take_error();
  const int written = written_operand(*call.applied);
  device.after_call(written >= 0 ? call.blocks[static_cast<std::size_t>(written)] : -1);
  take_back_from_host(call);
  call.left_error = call.observation.outcome == Outcome::kReturned ? left.text : std::string();
  call.result = executor.result();
  call.written = executor.written(*call.applied);
  executor.release();
  call.compared = -1;
  if (!call.illegal && call.observation.outcome == Outcome::kReturned)
    compare_on_device(device, call);
}

std::optional<Verdict> seen_on_device(const Device& device, const DeviceCall& call) {
  const auto blocks = device.block_flags();
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    const bool beside = call.far[k] && call.blocks[k] >= 0 &&
                        (blocks[static_cast<std::size_t>(call.blocks[k])] & kDeviceCanary) != 0;
    if (beside)
      return finding(Kind::kMemory, static_cast<int>(k), "wrote beside a slice of an operand");
  }
  if (call.illegal || call.observation.outcome != Outcome::kReturned) return std::nullopt;
  // As it is now it was not when the call returned; what is wrong then and now is the judge's.
  const auto early = [](std::uint32_t flags) {
    return (flags & kDeviceEarly) != 0 && (flags & kDeviceValue) == 0;
  };
  const int written = written_operand(*call.applied);
  const std::int32_t block = written >= 0 ? call.blocks[static_cast<std::size_t>(written)] : -1;
  // Of several right values the device has not been told before the end of the batch.
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
      // The old elements of an `out` that was resized are nobody's.
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

/// Of a block whose slices lie apart, these alone, one after the other.
void ask_for_slices(const DeviceCall& call, std::size_t operand, std::vector<std::byte>& bytes,
                    std::vector<DeviceCopy>& copies) {
  const FarPlaces far = far_places(*call.far[operand], item(call, operand));
  bytes.resize(static_cast<std::size_t>(far.count * far.slice_bytes));
  for (std::int64_t slice = 0; slice < far.count; ++slice) {
    copies.push_back({call.operands[operand].data + slice * far.apart_bytes,
                      bytes.data() + slice * far.slice_bytes, far.slice_bytes});
  }
}
void put_slices(const FarPlaces& far, const std::vector<std::byte>& bytes, std::byte* data) {
  for (std::int64_t slice = 0; slice < far.count; ++slice) {
    std::memcpy(data + slice * far.near_bytes, bytes.data() + slice * far.slice_bytes,
                static_cast<std::size_t>(far.slice_bytes));
  }
}

/// The strides that a view of the operand has where its slices do not lie apart.
void bring_together(const DeviceCall& call, std::size_t operand, ReturnedTensor& tensor) {
  if (!call.far[operand]) return;
  const FarSlices& slices = *call.far[operand];
  if (slices.dimension < tensor.strides.size() && tensor.strides[slices.dimension] == kFarStride)
    tensor.strides[slices.dimension] = slices.stride;
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
    if (placed.region != nullptr || (tensor.data != placed.data && !holds(call, k, tensor.data)))
      continue;
    std::int64_t offset = tensor.data - placed.data;
    if (call.far[k]) {
      const FarPlaces far = far_places(*call.far[k], item(call, k));
      offset = offset / far.apart_bytes * far.near_bytes + offset % far.apart_bytes;
    }
    host = arena.operands()[k].data + offset;
    bring_together(call, k, tensor);
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
    if (call.far[k]) {
      ask_for_slices(call, k, fetched.blocks[k], copies);
      continue;
    }
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
    if (call.host_copies[k] != nullptr) {
      std::memcpy(arena.operands()[k].data, call.operands[k].data,
                  static_cast<std::size_t>(call.operands[k].extent_bytes));
    }
    if (call.blocks[k] < 0) continue;
    if (call.far[k]) {
      put_slices(far_places(*call.far[k], item(call, k)), fetched.blocks[k],
                 arena.operands()[k].data);
      continue;
    }
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
