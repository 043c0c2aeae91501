#include "case/bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "case/limits.h"

namespace indexfuzz {
namespace {

static_assert(std::endian::native == std::endian::little, "the byte form is little-endian");

constexpr std::uint8_t kVersion = 1;
constexpr auto kMaxSize = static_cast<std::uint32_t>(kMostElements);
constexpr std::uint8_t kExpandedFlag = 1;
constexpr std::uint8_t kSlidesFlag = 2;
constexpr std::uint16_t kFarFlag = 1;
constexpr std::uint16_t kHostFlag = 2;
constexpr std::uint16_t kOwnShapeFlag = 4;
constexpr std::uint16_t kHalfFarFlag = 8;
constexpr std::uint16_t kLastFlag = 16;
constexpr int kFirstGpuSetting = 2;  // the first GPU setting's bit in Header::variant

struct Header {
  std::uint8_t version;
  std::uint8_t overload;
  std::uint16_t op;
  std::uint8_t variant;  ///< two bits of variant, then one per GPU setting
  std::uint8_t breaks;
  std::uint8_t operand_count;
  std::uint8_t environment;    ///< two bits of capability, then threads - 1
  std::int64_t attributes[4];  ///< the first ones; Tail has the others
};
static_assert(sizeof(Header) == 40, "the places are part of version 1");

struct OperandSlot {
  std::uint8_t dtype;
  std::uint8_t present;
  std::uint8_t guard;
  std::uint8_t rank;
  std::int16_t offset;
  std::uint8_t fill_kind;
  std::uint8_t negatives;
  std::uint16_t repeats;
  std::uint16_t place;  ///< kFarFlag, kHalfFarFlag, kHostFlag, kOwnShapeFlag
  std::uint32_t seed;
  std::uint32_t popcount;
  std::uint32_t shape[12];
  std::uint8_t order[12];
  std::int16_t step[12];
  std::int16_t before[12];
  std::int16_t after[12];
  std::uint8_t flags[12];
};

/// What follows the places of all operands.
struct Tail {
  std::int64_t attributes[2];
};
constexpr std::size_t kTailPlace = sizeof(Header) + kMaxOperands * sizeof(OperandSlot);
static_assert(kEncodedBytes == kTailPlace + sizeof(Tail));
static_assert(std::size(Header{}.attributes) + std::size(Tail{}.attributes) == kMaxAttributes);
static_assert(sizeof(OperandSlot) == 164 && kMaxDims == 12, "the places are part of version 1");

FillKind fill_kind(std::uint8_t number) {
  const auto known = std::ranges::find(kFills, static_cast<FillKind>(number), &FillInfo::kind);
  return known != std::end(kFills) ? known->kind : kFills[number % std::size(kFills)].kind;
}

/// Brings a step, padding or offset into range: a value below `minimum` becomes -(value + 1), or
/// `minimum` if that is still too small.
std::int16_t at_least(std::int16_t minimum, std::int16_t value) {
  if (value >= minimum) return value;
  return std::max<std::int16_t>(minimum, static_cast<std::int16_t>(-(value + 1)));
}

std::uint8_t pack(Variant variant, const GpuSettings& gpu) {
  int packed = static_cast<int>(variant);
  for (std::size_t s = 0; s < kGpuSettings.size(); ++s)
    packed |= static_cast<int>(gpu.*kGpuSettings[s].is_on) << (kFirstGpuSetting + s);
  return static_cast<std::uint8_t>(packed);
}

std::uint8_t pack(const Environment& environment) {
  return static_cast<std::uint8_t>(static_cast<int>(environment.capability) |
                                   (environment.threads - 1) << 2);
}

constexpr std::array<std::uint16_t, 5> kFlagsOfSlices{0, kFarFlag, kHalfFarFlag, kLastFlag,
                                                      kFarFlag | kLastFlag};
SlicePlacement slices_of(std::uint16_t flags) {
  const auto found =
      std::ranges::find(kFlagsOfSlices, flags & (kFarFlag | kHalfFarFlag | kLastFlag));
  return found == kFlagsOfSlices.end()
             ? SlicePlacement::kApartBy2To30
             : static_cast<SlicePlacement>(found - kFlagsOfSlices.begin());
}

OperandSlot pack(const Operand& operand) {
  OperandSlot slot{};
  slot.dtype = static_cast<std::uint8_t>(operand.dtype);
  slot.present = operand.present ? 1 : 0;
  slot.guard = static_cast<std::uint8_t>(operand.guard);
  slot.rank = static_cast<std::uint8_t>(operand.shape.size());
  slot.offset = operand.layout.offset;
  slot.place = static_cast<std::uint16_t>(kFlagsOfSlices[static_cast<std::size_t>(operand.slices)] |
                                          (operand.on_host ? kHostFlag : 0) |
                                          (operand.own_shape ? kOwnShapeFlag : 0));
  slot.fill_kind = static_cast<std::uint8_t>(operand.fill.kind);
  slot.negatives = static_cast<std::uint8_t>(operand.fill.negatives);
  slot.repeats = operand.fill.repeats;
  slot.seed = operand.fill.seed;
  slot.popcount = operand.fill.popcount;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    const DimLayout& dim = operand.layout.dims[d];
    slot.shape[d] = static_cast<std::uint32_t>(operand.shape[d]);
    slot.order[d] = operand.layout.order[d];
    slot.step[d] = dim.step;
    slot.before[d] = dim.before;
    slot.after[d] = dim.after;
    slot.flags[d] = static_cast<std::uint8_t>((dim.expanded ? kExpandedFlag : 0) |
                                              (dim.slides ? kSlidesFlag : 0));
  }
  return slot;
}

Operand unpack(const OperandSlot& slot) {
  Operand operand;
  operand.dtype = static_cast<Dtype>(slot.dtype % kDtypeCount);
  operand.present = (slot.present & 1) != 0;
  operand.guard = static_cast<Guard>(slot.guard & 1);
  operand.slices = slices_of(slot.place);
  operand.on_host = (slot.place & kHostFlag) != 0;
  operand.own_shape = (slot.place & kOwnShapeFlag) != 0;
  operand.layout.offset = at_least(0, slot.offset);
  operand.fill.kind = fill_kind(slot.fill_kind);
  operand.fill.negatives = static_cast<Negatives>(slot.negatives % 3);
  operand.fill.repeats = slot.repeats;
  operand.fill.seed = slot.seed;
  operand.fill.popcount = slot.popcount;
  const int rank = slot.rank % (kMaxDims + 1);
  unsigned placed = 0;  // one bit per dimension
  const auto place = [&](unsigned d) {
    if (d >= static_cast<unsigned>(rank) || (placed >> d & 1U) != 0) return;
    placed |= 1U << d;
    operand.layout.order.push_back(static_cast<std::uint8_t>(d));
  };
  for (int d = 0; d < rank; ++d) {
    operand.shape.push_back(slot.shape[d] <= kMaxSize ? slot.shape[d]
                                                      : slot.shape[d] % (kMaxSize + 1));
    DimLayout dim;
    dim.step = at_least(1, slot.step[d]);
    dim.before = at_least(0, slot.before[d]);
    dim.after = at_least(0, slot.after[d]);
    dim.expanded = (slot.flags[d] & kExpandedFlag) != 0;
    dim.slides = (slot.flags[d] & kSlidesFlag) != 0;
    operand.layout.dims.push_back(dim);
    place(slot.order[d]);
  }
  for (int d = 0; d < rank; ++d) place(static_cast<unsigned>(d));
  return operand;
}

}  // namespace

std::size_t encode_short(const Case& c, std::byte* destination) {
  Header header{};
  header.version = kVersion;
  header.overload = c.overload;
  header.op = c.op;
  header.variant = pack(c.variant, c.gpu);
  header.breaks = c.breaks;
  header.operand_count = static_cast<std::uint8_t>(c.operands.size());
  header.environment = pack(c.environment);
  const auto tail_attributes = c.attributes.begin() + std::size(header.attributes);
  std::copy(c.attributes.begin(), tail_attributes, header.attributes);
  std::memcpy(destination, &header, sizeof header);

  std::byte* place = destination + sizeof header;
  for (const Operand& operand : c.operands) {
    const OperandSlot slot = pack(operand);
    std::memcpy(place, &slot, sizeof slot);
    place += sizeof slot;
  }
  const auto used = static_cast<std::size_t>(place - destination);
  if (std::all_of(tail_attributes, c.attributes.end(), [](std::int64_t a) { return a == 0; }))
    return used;
  Tail tail;
  std::copy(tail_attributes, c.attributes.end(), tail.attributes);
  std::memset(place, 0, kTailPlace - used);
  std::memcpy(destination + kTailPlace, &tail, sizeof tail);
  return kEncodedBytes;
}

void encode(const Case& c, std::byte* destination) {
  const std::size_t used = encode_short(c, destination);
  std::memset(destination + used, 0, kEncodedBytes - used);
}

void put_operator(std::uint16_t op, std::span<std::byte> bytes) {
  if (bytes.size() < offsetof(Header, op) + sizeof op) return;
  std::memcpy(bytes.data() + offsetof(Header, op), &op, sizeof op);
}

void put_environment(const Environment& environment, std::span<std::byte> bytes) {
  const std::size_t place = offsetof(Header, environment);
  if (bytes.size() > place) bytes[place] = std::byte{pack(environment)};
}

Case decode(std::span<const std::byte> bytes) {
  const auto read = [&](std::size_t place, auto& value) {
    value = {};
    if (place < bytes.size()) {
      std::memcpy(&value, bytes.data() + place, std::min(sizeof value, bytes.size() - place));
    }
  };
  Header header;
  read(0, header);
  Case c;
  c.op = header.op;
  c.overload = header.overload;
  c.variant = static_cast<Variant>((header.variant & 3) % 3);
  for (std::size_t s = 0; s < kGpuSettings.size(); ++s)
    c.gpu.*kGpuSettings[s].is_on = (header.variant >> (kFirstGpuSetting + s) & 1) != 0;
  c.breaks = header.breaks;
  c.environment = {static_cast<std::uint8_t>((header.environment >> 2) + 1),
                   static_cast<Capability>((header.environment & 3) % 3)};
  Tail tail;
  read(kTailPlace, tail);
  std::ranges::copy(tail.attributes,
                    std::ranges::copy(header.attributes, c.attributes.begin()).out);
  const int count = header.operand_count % (kMaxOperands + 1);
  for (int k = 0; k < count; ++k) {
    OperandSlot slot;
    read(sizeof header + static_cast<std::size_t>(k) * sizeof slot, slot);
    c.operands.push_back(unpack(slot));
  }
  return c;
}

}  // namespace indexfuzz
