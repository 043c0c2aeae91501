#include "ops/illegal.h"

#include <algorithm>
#include <array>
#include <limits>

#include "case/number.h"

namespace indexfuzz {
namespace {

/// An index beyond `value` on the same side: a little further out, the last int32, ±2^32, which is
/// 0 if truncated to 32 bits, or the last number of the dtype. Of 8 bits only below 0.
std::int64_t far_out(std::int64_t value, Dtype dtype, std::uint64_t chance) {
  using Wide = std::numeric_limits<std::int64_t>;
  const std::int64_t sign = value < 0 ? -1 : 1;
  const std::int64_t near = value + sign * static_cast<std::int64_t>(chance / 8 % 100);
  const std::int64_t numbers = std::int64_t{1} << std::min(info(dtype).exact_bits, 31);
  const std::int64_t narrowest = value < 0 ? -numbers : numbers - 1;
  switch (chance % 4) {
    case 0: return near;
    case 1: return narrowest;
    case 2: return dtype != Dtype::kInt64 ? near : sign * (std::int64_t{1} << 32);
    default: return dtype != Dtype::kInt64 ? narrowest : value < 0 ? Wide::min() : Wide::max();
  }
}

void set_illegal_dim(Case& c, std::int64_t nearest) {
  const std::uint64_t chance = chance_of(c.operands[0], static_cast<std::uint64_t>(nearest));
  std::int64_t& dim = c.attributes[0];
  dim = chance % 4 == 3 ? far_out(nearest, Dtype::kInt64, chance >> 40) : nearest;
  if (dim == kNoInt) ++dim;
}

/// A dtype other than `right`.
Dtype another_dtype(Dtype right, Dtype plainest, std::uint64_t chance) {
  static constexpr std::array<Dtype, 8> kOthers{Dtype::kDouble,   Dtype::kFloat, Dtype::kHalf,
                                                Dtype::kBFloat16, Dtype::kInt64, Dtype::kInt32,
                                                Dtype::kInt16,    Dtype::kUInt8};
  const Dtype other = kOthers[chance >> 8 & 7];
  return chance % 2 == 0 || other == right ? plainest : other;
}

/// Lays the guest out as a part of a strided host from its first element on, as `self[:2, :3]`.
/// False if it is no such part, or the host is expanded or slides. Only hosts with steps count:
/// those with other gaps would tell no more, since ATen's check treats them alike.
bool become_part(const Operand& host, Operand& guest) {
  const auto has_step = [](const DimLayout& dim) { return dim.step > 1; };
  if (std::ranges::none_of(host.layout.dims, has_step) ||
      host.slices != SlicePlacement::kByLayout || rank(host.shape) != rank(guest.shape) ||
      host.dtype != guest.dtype)
    return false;
  Layout layout = host.layout;
  for (std::size_t d = 0; d < host.shape.size(); ++d) {
    DimLayout& dim = layout.dims[d];
    const std::int64_t after = dim.after + (host.shape[d] - guest.shape[d]) * dim.step;
    const bool fits = guest.shape[d] <= host.shape[d] && after <= INT16_MAX;
    if (dim.expanded || dim.slides || !fits) return false;
    dim.after = static_cast<std::int16_t>(after);
  }
  guest.layout = layout;
  guest.slices = SlicePlacement::kByLayout;
  return true;
}

/// Makes `out`, which the call resizes, an empty tensor in the input's memory, into which it then
/// grows. False if the result is larger than the input, and so would get memory of its own.
bool grow_into(Case& c, int input) {
  Operand& host = operand_at(c, input);
  Operand& out = c.operands.back();
  const ResultSpec result = operator_of(c).result(c);
  const auto size = static_cast<std::int64_t>(item_size(out.dtype));
  const std::int64_t room =
      numel(host.shape) * static_cast<std::int64_t>(item_size(host.dtype)) / size -
      numel(result.shape);
  if (!host.present || numel(result.shape) == 0 || room < 0) return false;
  const bool at_the_end = chance_of(host, 5) % 2 != 0 && room <= INT16_MAX;
  out.shape = {0};
  out.layout = contiguous_layout(1);
  if (at_the_end) out.layout.offset = static_cast<std::int16_t>(room);
  host.layout = contiguous_layout(rank(host.shape));
  host.slices = out.slices = SlicePlacement::kByLayout;
  host.guard = out.guard = Guard::kLeft;
  out.fill = Fill{};
  out.shares_memory_with = static_cast<std::int8_t>(input);
  return true;
}

}  // namespace

std::int64_t another_size(std::int64_t size) {
  return size == 0 ? 2 : size + 1;
}

void resize_dimension(Operand& operand, std::size_t dim, std::int64_t size) {
  constexpr std::int64_t kMostStored = 1 << 16;
  operand.shape[dim] = size;
  Layout& layout = operand.layout;
  // Keeps the drawn layout, paddings included, except that no two elements share memory.
  for (DimLayout& each : layout.dims) each.expanded = each.slides = false;
  if (operand.slices != SlicePlacement::kByLayout ||
      strided(operand.shape, layout).storage_elements > kMostStored)
    layout = contiguous_layout(rank(operand.shape));
  operand.fill.repeats = 0;
}

std::uint64_t chance_of(const Case& c) {
  std::uint64_t sum = 0;
  for (const Operand& operand : c.operands) sum += operand.fill.seed;
  return sum == 0 ? 0 : hash1(sum, 1);
}

std::uint64_t chance_of(const Operand& operand, std::uint64_t what) {
  return operand.fill.seed == 0 ? 0 : hash1(what, operand.fill.seed);
}

bool poke_index(Case& c, int operand, std::int64_t value) {
  Operand& index = operand_at(c, operand);
  const std::int64_t count = numel(index.shape);
  if (!index.present || count == 0 || family(index.fill.kind) != FillFamily::kIndex) return false;
  // The poked element would share memory with elements of other values.
  if (has_sliding(index.layout)) return false;
  // With a seed the position is random and the value often far out; without one, the last index
  // becomes `value`.
  const std::uint64_t chance = chance_of(index, static_cast<std::uint64_t>(value));
  const auto from_end =
      static_cast<std::int64_t>((chance >> 8) % static_cast<std::uint64_t>(count));
  poke(index, count - 1 - from_end,
       chance % 2 != 0 ? far_out(value, index.dtype, chance >> 40) : value);
  return true;
}

bool add_dimension(Case& c, int operand, int wanted) {
  Operand& target = operand_at(c, operand);
  if (rank(target.shape) >= wanted || wanted > kMaxDims) return false;
  while (rank(target.shape) < wanted) {
    target.layout.order.push_back(static_cast<std::uint8_t>(target.shape.size()));
    target.layout.dims.emplace_back();
    target.shape.push_back(1);
  }
  return true;
}

bool remove_dimension(Case& c, int operand, int least) {
  Operand& target = operand_at(c, operand);
  if (rank(target.shape) < least) return false;
  target.shape.pop_back();
  target.layout = contiguous_layout(rank(target.shape));
  target.fill.repeats = 0;
  return true;
}

bool add_leading_dimension(Case& c, int operand, int wanted, std::int64_t size) {
  Operand& target = operand_at(c, operand);
  if (rank(target.shape) != wanted - 1 || wanted > kMaxDims || numel(target.shape) == 0)
    return false;
  target.shape.insert(target.shape.begin(), size);
  target.layout = contiguous_layout(wanted);
  target.fill.repeats = 0;
  return true;
}

bool mismatch_broadcast(Case& c, int operand, const Dims& other) {
  Operand& target = operand_at(c, operand);
  if (target.shape.empty() || other.empty() || other.back() == 1) return false;
  resize_dimension(target, target.shape.size() - 1, another_size(other.back()));
  return true;
}

bool mismatch_broadcast_in_front(Case& c, int operand, const Dims& other) {
  Operand& target = operand_at(c, operand);
  const std::size_t rank = target.shape.size();
  // The last dimension has a rule of its own.
  if (rank < 2 || rank > other.size()) return false;
  const std::int64_t size = other[other.size() - rank];
  if (size == 1) return false;
  resize_dimension(target, 0, another_size(size));
  return true;
}

bool make_complex(Case& c, int operand, Dtype target) {
  if (is_complex(target) || target == Dtype::kBool) return false;
  operand_at(c, operand).dtype = Dtype::kComplexDouble;
  operand_at(c, operand).fill = Fill{};
  return true;
}

bool overflow_number(Case& c, int operand, Dtype target) {
  constexpr DtypeSet kTargets = kIntegralDtypes | set_of(Dtype::kHalf);
  if (!contains(kTargets, target)) return false;
  Operand& number = operand_at(c, operand);
  // The largest float16 is 65504.
  const int bits = target == Dtype::kHalf
                       ? 16
                       : 8 * static_cast<int>(item_size(target)) - (info(target).is_signed ? 1 : 0);
  number.dtype = bits == 63 || number.dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kInt64;
  number.fill = Fill{};
  // 2^63 when written as a double, which cannot hold the largest int64.
  poke(number, 0, bits == 63 ? std::numeric_limits<std::int64_t>::max() : std::int64_t{1} << bits);
  return true;
}

bool become_vector(Case& c, int operand, std::int64_t elements) {
  Operand& target = operand_at(c, operand);
  const DimLayout drawn = target.layout.dims.empty() ? DimLayout{} : target.layout.dims.back();
  const std::int16_t offset = target.layout.offset;
  target.shape.resize(1);
  target.layout = contiguous_layout(1);
  target.layout.dims[0] = drawn;
  target.layout.offset = offset;
  resize_dimension(target, 0, elements);
  return true;
}

bool empty_dimension(Case& c, int operand, int dim) {
  Operand& target = operand_at(c, operand);
  if (dim >= rank(target.shape) || numel(target.shape) == 0) return false;
  resize_dimension(target, static_cast<std::size_t>(dim), 0);
  return true;
}

bool empty_written_dimension(Case& c, int dim) {
  return c.variant != Variant::kOut && empty_dimension(c, 0, dim);
}

bool change_dtype(Case& c, int operand, Dtype dtype) {
  Operand& target = operand_at(c, operand);
  if (target.dtype == dtype) return false;
  target.dtype = dtype;
  // Index values have no meaning in another dtype, whose storage may be larger.
  target.fill = Fill{FillKind::kZeros, Negatives::kNone, target.fill.repeats, 0, 0};
  target.poked = false;
  return true;
}

bool mismatch_dtype(Case& c, int operand, int other) {
  const Dtype right = operand_at(c, other).dtype;
  const Dtype plainest = right == Dtype::kInt32 ? Dtype::kFloat : Dtype::kInt32;
  return change_dtype(c, operand,
                      another_dtype(right, plainest, chance_of(operand_at(c, operand), 3)));
}

bool become_floating(Case& c, int operand) {
  const bool is_double = chance_of(operand_at(c, operand), 3) % 2 != 0;
  return change_dtype(c, operand, is_double ? Dtype::kDouble : Dtype::kFloat);
}

bool become_narrow(Case& c, int operand) {
  const bool is_int8 = chance_of(operand_at(c, operand), 3) % 2 != 0;
  return change_dtype(c, operand, is_int8 ? Dtype::kInt8 : Dtype::kInt16);
}

bool dim_above(Case& c) {
  set_illegal_dim(c, nameable_dims(c, 0));
  return true;
}

bool dim_below(Case& c) {
  set_illegal_dim(c, -nameable_dims(c, 0) - 1);
  return true;
}

bool empty_list(Case& c, int first) {
  c.misfit_list = {static_cast<std::int8_t>(first), true};
  return true;
}

bool lengthen_list(Case& c, int first) {
  c.misfit_list = {static_cast<std::int8_t>(first), false};
  return true;
}

bool choose_unknown(Case& c, int attribute) {
  const auto a = static_cast<std::size_t>(attribute);
  c.attributes[a] = static_cast<std::int64_t>(overload_of(c).attributes[a].choices.size());
  return true;
}

bool misshape(Case& c, int operand) {
  Operand& changed = operand_at(c, operand);
  if (numel(changed.shape) == 0 || changed.shape.empty()) return false;
  const std::size_t last = changed.shape.size() - 1;
  const std::int64_t size = changed.shape[last], before = last > 0 ? changed.shape[last - 1] : size;
  if (size == before || chance_of(changed, 4) % 2 == 0) {
    resize_dimension(changed, last, size + 1);
    return true;
  }
  resize_dimension(changed, last, before);
  resize_dimension(changed, last - 1, size);
  return true;
}

bool change_out_dtype(Case& c) {
  if (c.variant != Variant::kOut) return false;
  const Dtype right = c.operands.back().dtype;
  const Dtype plainest = right == Dtype::kDouble ? Dtype::kFloat : Dtype::kDouble;
  return change_dtype(c, static_cast<int>(c.operands.size()) - 1,
                      another_dtype(right, plainest, chance_of(c.operands.back(), 3)));
}

void expand_dimension(Operand& operand, std::size_t dim) {
  operand.layout.dims[dim] = {1, 0, 0, true, false};
  operand.fill.repeats |= static_cast<std::uint16_t>(1u << dim);
}

bool overlap_written(Case& c) {
  const int written = written_operand(c);
  if (written < 0) return false;
  Operand& operand = operand_at(c, written);
  // An operand that the call resizes no longer overlaps.
  if (operand.own_shape || numel(operand.shape) == 0) return false;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (operand.shape[d] < 2) continue;
    expand_dimension(operand, d);
    return true;
  }
  return false;
}

bool share_memory(Case& c, int input) {
  const int written = written_operand(c);
  if (written < 0 || written == input) return false;
  // The later operand lies in the earlier one's memory, which is laid out first.
  const int first = std::min(written, input);
  Operand& host = operand_at(c, first);
  Operand& guest = operand_at(c, std::max(written, input));
  if (!host.present || !guest.present) return false;
  if (operand_at(c, written).own_shape) return grow_into(c, input);
  const std::int64_t host_bytes =
      numel(host.shape) * static_cast<std::int64_t>(item_size(host.dtype));
  const std::int64_t guest_bytes =
      numel(guest.shape) * static_cast<std::int64_t>(item_size(guest.dtype));
  if (guest_bytes == 0 || guest_bytes > host_bytes) return false;
  if (!become_part(host, guest)) {
    const bool at_the_end = guest.layout.offset != 0;
    host.layout = contiguous_layout(rank(host.shape));
    guest.layout = contiguous_layout(rank(guest.shape));
    const std::int64_t room =
        (host_bytes - guest_bytes) / static_cast<std::int64_t>(item_size(guest.dtype));
    if (at_the_end && room <= INT16_MAX) guest.layout.offset = static_cast<std::int16_t>(room);
  }
  host.guard = guest.guard = Guard::kLeft;
  guest.shares_memory_with = static_cast<std::int8_t>(first);
  return true;
}

}  // namespace indexfuzz
