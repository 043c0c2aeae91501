#include "ops/families/unpool.h"

#include <cstring>
#include <span>

#include "ops/families/moves.h"
#include "ops/families/planes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

using unpool::kIndices;
using unpool::kSelf;

/// The dimensions of a plane: one less than the operator's least rank.
int unpooled_dims(const Case& c) {
  return operator_of(c).least_rank - 1;
}

/// The sizes of a plane of the result.
template <typename AnyCase>
auto output_sizes(AnyCase& c) {
  return std::span(c.attributes)
      .subspan(unpool::kOutputSize, static_cast<std::size_t>(unpooled_dims(c)));
}

std::int64_t plane_of_self(const Case& c) {
  return plane_size(c.operands[kSelf].shape, unpooled_dims(c));
}

/// Calls f(element of the result, element of self) for every index, in order.
template <typename F>
void for_each_move(const OracleInput& input, F&& f) {
  const IndexReader index(input, kIndices);
  const std::int64_t from = plane_of_self(input.c), to = unpooled_plane(input.c);
  for (std::int64_t i = 0; i < index.count(); ++i) f(i / from * to + index[i], i);
}

}  // namespace

std::int64_t unpooled_plane(const Case& c) {
  std::int64_t elements = 1;
  for (const std::int64_t size : output_sizes(c)) elements *= size;
  return elements;
}

ResultSpec unpooled(const Case& c) {
  ResultSpec spec = result_like_self(c);
  const auto sizes = output_sizes(c);
  std::ranges::copy(sizes, spec.shape.end() - static_cast<std::ptrdiff_t>(sizes.size()));
  return spec;
}

void repair_unpool(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& indices = c.operands[kIndices];
  clamp_dtype(self.dtype, within(kFloats, limits));
  give_planes(self.shape, limits, unpooled_dims(c));
  indices.dtype = Dtype::kInt64;
  indices.shape = self.shape;
  // A plane grows to at most four times its elements, or few: results would take most of the time.
  constexpr std::int64_t kFew = 300, kGrowth = 4;
  std::int64_t most =
      std::clamp<std::int64_t>(limits.max_elements / plane_count(self.shape, unpooled_dims(c)), 1,
                               std::max(kFew, kGrowth * plane_of_self(c)));
  for (std::int64_t& size : output_sizes(c)) {
    size = std::clamp<std::int64_t>(size, 1, most);
    most /= size;
  }
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(indices.fill, FillFamily::kIndex);
}

void move_to_planes(const OracleInput& input, std::byte* destination) {
  const auto [shape, dtype] = unpooled(input.c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(shape)) * item_size(dtype));
  move_elements(dtype, destination, input.operands[kSelf].data, [&](auto* to, const auto* from) {
    for_each_move(input, [&](std::int64_t element, std::int64_t i) { to[element] = from[i]; });
  });
}

void unpool_contributions(const OracleInput& input, ContributionSink sink, void* context) {
  pass_moves(input, kSelf, sink, context, [&](auto&& pass) { for_each_move(input, pass); });
}

bool raise_unpool_ranks(Case& c) {
  const int rank = unpooled_dims(c) + 3;
  return c.variant == Variant::kFunctional && add_dimension(c, kSelf, rank) &&
         add_dimension(c, kIndices, rank);
}

bool lower_unpool_ranks(Case& c) {
  const int least = unpooled_dims(c) + 1;
  return c.variant == Variant::kFunctional && rank(c.operands[kSelf].shape) == least &&
         remove_dimension(c, kSelf, least) && remove_dimension(c, kIndices, least);
}

}  // namespace indexfuzz
