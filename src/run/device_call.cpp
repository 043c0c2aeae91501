#include "run/device_call.h"

#include <algorithm>
#include <cstring>
#include <string>

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
  return call.out_fits ? nullptr : &call.observation.written;
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
           !judge_description(call.expected, seen.result, -1);
  }
  if (seen.result_count == 1 && seen.result.same_as_operand != written) return false;
  if (!call.out_fits) return !judge_description(call.expected, seen.written, written);
  const Operand& operand = c.operands[static_cast<std::size_t>(written)];
  const PlacedOperand& placed = call.operands[static_cast<std::size_t>(written)];
  return (seen.written.data == placed.data || placed.count == 0) &&
         seen.written.dtype == operand.dtype && seen.written.shape == operand.shape &&
         seen.written.strides == placed.view.strides;
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

bool lay_out(Device& device, const Arena& arena, DeviceCall& call) {
  const Case& c = arena.current();
  const int written = written_operand(c);
  call.operands.assign(arena.operands().begin(), arena.operands().end());
  call.blocks.fill(-1);
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    PlacedOperand& placed = call.operands[k];
    if (!operand.present) continue;
    if (spec_of(c, static_cast<int>(k)).role == Role::kScalar) {
      std::memcpy(call.numbers[k].data(), placed.logical, item_size(operand.dtype));
      continue;
    }
    placed.region = nullptr;
    const std::int64_t before_data = placed.data - placed.storage;
    if (operand.shares_memory_with >= 0) {
      placed.data = call.operands[static_cast<std::size_t>(operand.shares_memory_with)].data;
    } else {
      const std::byte* const image = arena.image(static_cast<int>(k));
      const std::byte* const extent = arena.operands()[k].data;
      // Only what is written differs afterwards.
      placed.data =
          device.place({extent, static_cast<int>(k) == written ? image : extent, placed.front_bytes,
                        placed.extent_bytes, placed.back_bytes, operand.guard == Guard::kLeft});
      if (placed.data == nullptr) return false;
      call.blocks[k] = static_cast<std::int32_t>(device.block_flags().size()) - 1;
    }
    placed.storage = placed.data - before_data;
  }
  call.out_fits = placement_in(arena).out_fits;
  call.staged = -1;
  if (arena.must_refuse()) return true;
  call.expected = arena.result();
  if (written >= 0 && call.out_fits) return true;
  call.staged =
      device.stage(arena.expected(), numel(call.expected.shape) *
                                         static_cast<std::int64_t>(item_size(call.expected.dtype)));
  return call.staged >= 0;
}

void make_call(Device& device, int index, Executor& executor, int place, DeviceCall& call) {
  device.set_owner(place);
  for (std::size_t k = 0; k < call.operands.size(); ++k)
    call.operands[k].logical = call.numbers[k].data();
  const Placement placement{
      *call.applied,
      {call.operands.data(), call.operands.size()},
      call.out_fits,
      c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index)),
      device.allocator()};
  executor.run(*call.plan, placement, call.observation);
  call.result = executor.result();
  call.written = executor.written(*call.applied);
  executor.release();
  device.set_owner(-1);
  call.compared = -1;
  const ReturnedTensor* const fresh = fresh_tensor(call);
  if (fresh == nullptr || numel(call.expected.shape) == 0 || !as_described(call)) return;
  call.compared = static_cast<std::int32_t>(device.result_flags().size());
  device.compare({fresh->data, fresh->shape, fresh->strides,
                  static_cast<std::int64_t>(item_size(call.expected.dtype)), call.staged});
}

std::optional<Verdict> settled(const Device& device, int place, const DeviceCall& call,
                               const Standing& standing) {
  if (device.damaged(place)) return std::nullopt;
  const Observation& seen = call.observation;
  const int written = written_operand(*call.applied);
  switch (seen.outcome) {
    case Outcome::kReturned: {
      if (call.illegal || !as_described(call)) return std::nullopt;
      // The old elements of an `out` that was resized are nobody's.
      if (!untouched(device, call, call.out_fits ? -1 : written)) return std::nullopt;
      const bool differs =
          call.compared >= 0 && device.result_flags()[static_cast<std::size_t>(call.compared)] != 0;
      if (differs) return std::nullopt;
      return plain(numel(call.expected.shape) == 0 ? Status::kVacuous : Status::kAgreed, seen);
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
    case Outcome::kForeign: return std::nullopt;
  }
  return std::nullopt;
}

namespace {

/// Where the host finds the bytes that a result has on the device.
class Translation {
 public:
  Translation(const DeviceCall& call, const Arena& arena) : call_(call), arena_(arena) {}

  /// Asks for the storage of a tensor that lies in no operand.
  void add(const ReturnedTensor& tensor, std::vector<DeviceCopy>& copies) {
    if (tensor.data == nullptr || tensor.storage_bytes <= 0 || lies_in_operand(call_, tensor) ||
        tensor.storage == storage_)
      return;
    storage_ = tensor.storage;
    bytes_.resize(static_cast<std::size_t>(tensor.storage_bytes));
    copies.push_back({tensor.storage, bytes_.data(), tensor.storage_bytes});
  }
  void apply(ReturnedTensor& tensor) const {
    if (tensor.data == nullptr) return;
    const std::byte* host = nullptr;
    for (std::size_t k = 0; k < call_.operands.size(); ++k) {
      const PlacedOperand& placed = call_.operands[k];
      if (placed.region == nullptr && (tensor.data == placed.data || holds(placed, tensor.data)))
        host = arena_.operands()[k].data + (tensor.data - placed.data);
    }
    if (host == nullptr && tensor.storage == storage_)
      host = bytes_.data() + (tensor.data - tensor.storage);
    if (host == nullptr) {  // nobody may read it
      tensor.defined = false;
      return;
    }
    tensor.storage = host - (tensor.data - tensor.storage);
    tensor.data = host;
  }

 private:
  const DeviceCall& call_;
  const Arena& arena_;
  const std::byte* storage_ = nullptr;
  std::vector<std::byte> bytes_;
};

}  // namespace

Verdict judge_on_host(Device& device, int place, DeviceCall& call, const Standing& standing,
                      Arena& arena, DeviceError& error) {
  arena.suspect();
  arena.prepare(*call.applied);
  std::vector<DeviceCopy> copies;
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.blocks[k] < 0) continue;
    const bool left = call.applied->operands[k].guard == Guard::kLeft;
    const std::int64_t in_front = left ? 0 : kMargin, behind = left ? kMargin : 0;
    copies.push_back({accessible(call.operands[k]) - in_front,
                      accessible(arena.operands()[k]) - in_front,
                      in_front + accessible_bytes(call.operands[k]) + behind});
  }
  Translation translation(call, arena);
  translation.add(call.observation.result, copies);
  translation.add(call.observation.written, copies);
  error = device.fetch(copies);
  if (error.code != 0) return {};
  Observation seen = call.observation;
  translation.apply(seen.result);
  translation.apply(seen.written);
  if (device.damaged(place)) {
    seen.canary_bytes = 1;
    seen.canary_note = "bytes around an allocation of its own were overwritten";
  }
  const Verdict verdict = judge(arena, seen, standing);
  arena.suspect();
  return verdict;
}

}  // namespace indexfuzz
