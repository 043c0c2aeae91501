#include "ops/families/embedded_view.h"

#include <algorithm>

#include "case/walk.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/chance.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {

constexpr int kSelf = 0;

void repair_embedded(Case& c, const Limits& limits, int least_rank) {
  Operand& self = c.operands[kSelf];
  Operand& src = c.operands[embedded_view::kSrc];
  clamp_dtype(self.dtype, limits.dtypes);
  src.dtype = self.dtype;
  clamp_shape(self.shape, std::max(limits.max_rank, least_rank), limits.max_elements);
  if (rank(self.shape) < least_rank) set_rank(self.shape, least_rank);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(src.fill, FillFamily::kValue);
}

void write_embedded(const OracleInput& input, const DenseView& view, std::byte* destination) {
  copy_operand(input, kSelf, destination);
  move_elements(
      input.c.operands[kSelf].dtype, destination, input.operands[embedded_view::kSrc].data,
      [&](auto* to, const auto* from) {
        for_each_element(
            view.shape,
            [&](std::int64_t i, std::int64_t offset) { to[view.first + offset] = from[i]; },
            view.strides);
      });
}

namespace embedded_view_rules {

bool src_shape(Case& c) {
  Operand& src = c.operands[embedded_view::kSrc];
  if (src.shape.empty()) return false;
  const std::size_t d = chance_of(src, 1) % src.shape.size();
  resize_dimension(src, d, another_size(src.shape[d]));
  return true;
}

bool src_rank(Case& c) {
  return add_dimension(c, embedded_view::kSrc, rank(c.operands[embedded_view::kSrc].shape) + 1);
}

bool src_rank_lower(Case& c) {
  return remove_dimension(c, embedded_view::kSrc, 1);
}

bool src_broadcasts(Case& c) {
  Operand& src = c.operands[embedded_view::kSrc];
  const auto wide = std::ranges::find_if(src.shape, [](std::int64_t size) { return size > 1; });
  if (wide == src.shape.end()) return false;
  resize_dimension(src, static_cast<std::size_t>(wide - src.shape.begin()), 1);
  return true;
}

bool self_rank(Case& c) {
  return rank(c.operands[kSelf].shape) == 1 && c.variant == Variant::kFunctional &&
         remove_dimension(c, kSelf, 1);
}

}  // namespace embedded_view_rules

}  // namespace indexfuzz
