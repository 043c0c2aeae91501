#include "ops/families/padding_geometry.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ops/illegal/chance.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;

/// A few elements, by which tensors of any size are padded; more where fewer than three dimensions
/// grow together.
std::int64_t usual_padding(int dims, std::int64_t size) {
  constexpr std::int64_t kFew = 3;
  return dims < 3 ? 2 * size + kFew : kFew;
}

void give_channels(Operand& self, int padded, int most_dims, const Limits& limits) {
  Dims& shape = self.shape;
  clamp_shape(shape, most_dims, limits.max_elements);
  if (rank(shape) <= padded) set_rank(shape, padded + 1);
  for (std::size_t d = rank(shape) == most_dims ? 1 : 0; d < shape.size(); ++d)
    shape[d] = std::max<std::int64_t>(shape[d], 1);
  clamp_shape(shape, most_dims, limits.max_elements);
}

/// `most_of`: how far a dimension of this size, one of `dims`, may be padded on one side.
void repair_padded(Case& c, const Limits& limits, DtypeSet dtypes,
                   std::int64_t (*most_of)(int dims, std::int64_t size)) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, dtypes);
  give_channels(self, padded_dims(c), rank_with_batches(c), limits);
  clamp_fill(self.fill, FillFamily::kValue);
  const std::span<std::int64_t> all = paddings(c);
  for (std::size_t a = 0; a < all.size(); ++a)
    all[a] = std::max<std::int64_t>(all[a], 0) % (most_of(padded_dims(c), padded_size(c, a)) + 1);
  shorten_paddings(c, limits);
}

}  // namespace

int padded_dims(const Case& c) {
  return static_cast<int>(overload_of(c).attributes.size()) / 2;
}

int rank_with_batches(const Case& c) {
  return padded_dims(c) + 2;
}

std::int64_t padded_size(const Case& c, std::size_t attribute) {
  const Dims& shape = c.operands[kSelf].shape;
  return shape[shape.size() - 1 - attribute / 2];
}

std::span<std::int64_t> paddings(Case& c) {
  return std::span(c.attributes).first(overload_of(c).attributes.size());
}

ResultSpec padded_result(const Case& c) {
  ResultSpec spec = result_like_self(c);
  for (std::size_t a = 0; a < overload_of(c).attributes.size(); ++a) {
    std::int64_t& size = spec.shape[spec.shape.size() - 1 - a / 2];
    // Unsigned, since an illegal sum overflows.
    size = static_cast<std::int64_t>(static_cast<std::uint64_t>(size) +
                                     static_cast<std::uint64_t>(c.attributes[a]));
  }
  return spec;
}

std::int64_t most_padding(int dims, std::int64_t size) {
  constexpr std::array<std::int64_t, 3> kWide{100, 20, 8};
  return std::max(usual_padding(dims, size), kWide[static_cast<std::size_t>(dims - 1)]);
}

void shorten_paddings(Case& c, const Limits& limits) {
  constexpr std::int64_t kLittle = 4096;
  const std::span<std::int64_t> all = paddings(c);
  for (std::size_t a = 0; a < all.size(); ++a) {
    const std::int64_t usual = usual_padding(padded_dims(c), padded_size(c, a));
    if (all[a] > usual && numel(padded_result(c).shape) > kLittle) all[a] %= usual + 1;
  }
  while (!is_within(padded_result(c).shape, limits)) *std::ranges::max_element(all) /= 2;
}

void repair_reflected(Case& c, const Limits& limits, DtypeSet dtypes) {
  repair_padded(c, limits, dtypes, [](int, std::int64_t size) { return size - 1; });
}

void repair_replicated(Case& c, const Limits& limits, DtypeSet dtypes) {
  repair_padded(c, limits, dtypes, most_padding);
}

std::size_t chosen_side(const Case& c) {
  return chance_of(c) % overload_of(c).attributes.size();
}

bool pad_by_whole_size(Case& c) {
  const std::size_t side = chosen_side(c);
  c.attributes[side] = padded_size(c, side);
  return true;
}

bool pad_beyond_int64(Case& c) {
  const std::span<std::int64_t> all = paddings(c);
  for (std::size_t a = 0; a < all.size(); a += 2) {
    if (padded_size(c, a) < 3) continue;
    all[a] = all[a + 1] = std::numeric_limits<std::int64_t>::max();
    return true;
  }
  return false;
}

std::int64_t reflected_place(std::int64_t place, std::int64_t size) {
  return place < 0 ? -place : place < size ? place : 2 * (size - 1) - place;
}

std::int64_t replicated_place(std::int64_t place, std::int64_t size) {
  return std::clamp<std::int64_t>(place, 0, size - 1);
}

const PaddingSources& padding_sources(const Case& c, PaddingSource source_of) {
  static thread_local PaddingSources sources;
  const Dims to = padded_result(c).shape;
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < sources.offsets.size(); ++d) {
    std::vector<std::int64_t>& offsets = sources.offsets[d];
    offsets.clear();
    if (d >= static_cast<std::size_t>(padded_dims(c))) {
      offsets.push_back(0);
      continue;
    }
    const std::int64_t size = padded_size(c, 2 * d);
    for (std::int64_t i = 0; i < to[to.size() - 1 - d]; ++i)
      offsets.push_back(source_of(i - c.attributes[2 * d], size) * stride);
    stride *= size;
  }
  sources.padded_together = stride;
  return sources;
}

}  // namespace indexfuzz
