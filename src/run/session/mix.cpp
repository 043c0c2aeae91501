#include "run/session/mix.h"

#include <algorithm>
#include <array>

#include "ops/numbers/integral.h"

namespace indexfuzz {
namespace {

/// Tells whether a value in [0, kValues) was met before since the last `clear()`.
class SeenValues {
 public:
  static constexpr std::int64_t kValues = 4096;
  void clear() { ++round_; }
  bool meets(std::int64_t value) {
    std::uint32_t& stamp = stamps_[static_cast<std::size_t>(value)];
    if (stamp == round_) return true;
    stamp = round_;
    return false;
  }

 private:
  std::array<std::uint32_t, kValues> stamps_{};
  std::uint32_t round_ = 0;
};

template <typename T>
bool repeats_a_position(const std::byte* data, std::int64_t count, std::int64_t bound) {
  static thread_local SeenValues seen;
  seen.clear();
  const T* const values = reinterpret_cast<const T*>(data);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = values[i];
    if (position < 0) position += bound;
    if (position < 0 || position >= bound) continue;
    if (seen.meets(position)) return true;
  }
  return false;
}

constexpr std::uint64_t kSampled = 8;

/// Whether an index operand names a position twice.
bool has_duplicates(const Arena& arena, int operand) {
  const Case& c = arena.current();
  const Operand& spec = operand_at(c, operand);
  const PlacedOperand& placed = arena.operands()[static_cast<std::size_t>(operand)];
  if (placed.count < 2) return false;
  const std::int64_t bound = operator_of(c).index_bound(c, operand);
  if (placed.count > bound) return true;  // more indices than positions
  if (bound > SeenValues::kValues) {
    return spec.fill.kind != FillKind::kDistinct1 && spec.fill.kind != FillKind::kAscending &&
           spec.fill.kind != FillKind::kDescending;
  }
  return with_integral(spec.dtype, [&]<typename T>(T) {
    return repeats_a_position<T>(placed.logical, placed.count, bound);
  });
}

}  // namespace

CaseMix mix_of(const Arena& arena, std::uint64_t number) {
  const Case& c = arena.current();
  CaseMix mix;
  // Only in one case of kSampled, since it visits every index.
  mix.sampled = number % kSampled == 0;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    if (!operand.present) continue;
    mix.largest = std::max(mix.largest, arena.operands()[k].count);
    if (!is_contiguous(operand.layout)) {
      mix.strided = true;
      mix.expanded = mix.expanded || has_expanded(operand.layout);
      mix.overlapping = mix.overlapping || has_sliding(operand.layout);
    }
    if (mix.sampled && !mix.duplicates && family(operand.fill.kind) == FillFamily::kIndex)
      mix.duplicates = has_duplicates(arena, static_cast<int>(k));
  }
  mix.illegal = arena.must_refuse();
  mix.empty = !mix.illegal && numel(arena.result().shape) == 0;
  return mix;
}

void count_mix(Mix& mix, const CaseMix& c) {
  count(mix.cases);
  if (c.illegal) count(mix.illegal);
  if (c.empty) count(mix.empty);
  if (c.strided) count(mix.strided);
  if (c.expanded) count(mix.expanded);
  if (c.overlapping) count(mix.overlapping);
  if (c.sampled) count(mix.sampled);
  if (c.duplicates) count(mix.duplicates);
  count_elements(mix, c.largest);
}

void count_mix(Mix& mix, const Arena& arena) {
  count_mix(mix, mix_of(arena, mix.cases.load(std::memory_order_relaxed)));
}

}  // namespace indexfuzz
