#include "run/gpu/fetched_call.h"

#include <algorithm>
#include <cstring>

#include "judge/fresh_result.h"

namespace indexfuzz {
namespace {

/// The number of canaries that are fetched in front of what a call may touch, and after it.
std::int64_t in_front(const Operand& operand, const PlacedOperand& placed) {
  return operand.guard == Guard::kRight ? kMargin : placed.gap_bytes;
}
std::int64_t behind(const Operand& operand) {
  return operand.guard == Guard::kLeft ? kMargin : 0;
}

/// Fetches only the slices of a block whose slices lie apart, one after the other.
void ask_for_slices(const DeviceCall& call, std::size_t operand, std::vector<std::byte>& bytes,
                    std::vector<DeviceCopy>& copies) {
  const FarPlaces far = far_places(call, operand);
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

/// Fetches only the elements of a tensor outside all operands, since its storage may be a workspace
/// of any size. One byte stands for elements outside the storage, which are never read.
void ask_for_elements(const DeviceCall& call, const ReturnedTensor& tensor,
                      std::vector<std::byte>& bytes, std::vector<DeviceCopy>& copies) {
  if (tensor.data == nullptr || tensor.storage_bytes <= 0 || lies_in_operand(call, tensor)) return;
  const std::int64_t extent = lies_within_storage(tensor) ? extent_bytes(tensor) : 0;
  bytes.resize(static_cast<std::size_t>(std::max<std::int64_t>(extent, 1)));
  if (extent > 0) copies.push_back({tensor.data, bytes.data(), extent});
}

/// Makes a tensor point to its bytes on the host.
void translate(const DeviceCall& call, const Arena& arena, const std::vector<std::byte>& elements,
               ReturnedTensor& tensor) {
  if (tensor.data == nullptr) return;
  const std::byte* host = nullptr;
  if (!elements.empty()) host = elements.data();
  for (std::size_t k = 0; host == nullptr && k < call.operands.size(); ++k) {
    const PlacedOperand& placed = call.operands[k];
    if (placed.region != nullptr || (tensor.data != placed.data && !holds(call, k, tensor.data)))
      continue;
    std::int64_t offset = tensor.data - placed.data;
    if (call.far[k]) {
      offset = near_offset(far_places(call, k), offset);
      bring_together(*call.far[k], tensor.strides);
    }
    host = arena.operands()[k].data + offset;
  }
  if (host == nullptr) {  // it must not be read
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
        in_front(operand, call.operands[k]) + accessible_bytes(call.operands[k]) + behind(operand);
    fetched.blocks[k].resize(static_cast<std::size_t>(bytes));
    copies.push_back({accessible(call.operands[k]) - in_front(operand, call.operands[k]),
                      fetched.blocks[k].data(), bytes});
  }
  ask_for_elements(call, call.observation.result, fetched.result, copies);
  ask_for_elements(call, call.observation.written, fetched.written, copies);
}

Observation bring_to_host(const DeviceCall& call, const FetchedCall& fetched, bool heap_damaged,
                          Arena& arena) {
  arena.mark_dirty();
  arena.prepare(*call.applied);
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.host_copies[k] != nullptr) {
      std::memcpy(arena.operands()[k].data, call.operands[k].data,
                  static_cast<std::size_t>(call.operands[k].extent_bytes));
    }
    if (call.blocks[k] < 0) continue;
    if (call.far[k]) {
      put_slices(far_places(call, k), fetched.blocks[k], arena.operands()[k].data);
      continue;
    }
    std::memcpy(
        accessible(arena.operands()[k]) - in_front(call.applied->operands[k], arena.operands()[k]),
        fetched.blocks[k].data(), fetched.blocks[k].size());
  }
  Observation seen = call.observation;
  translate(call, arena, fetched.result, seen.result);
  translate(call, arena, fetched.written, seen.written);
  if (heap_damaged) {
    seen.canary_bytes = 1;
    seen.canary_note = "bytes around an allocation of its own were overwritten";
  }
  return seen;
}

}  // namespace indexfuzz
