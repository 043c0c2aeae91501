#include "ops/families/triangle.h"

#include <algorithm>
#include <cstring>

#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/chance.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kDiagonal = 0;

/// Makes self a vector or a number.
bool lower_rank(Case& c) {
  const int wanted = chance_of(c) % 2 == 0 ? 1 : 0;
  while (rank(c.operands[kSelf].shape) > wanted) remove_dimension(c, kSelf, 1);
  return true;
}

}  // namespace

// There is no rule against an out that is self: all of self is read before it is written.
const IllegalRule triangle_rules[kTriangleRules] = {
    {1, "self_rank", lower_rank},
    {2, "out_dtype", change_out_dtype},
    // ATen writes all the same, and so does a kernel that hands self on to ATen.
    {3, "written_overlaps_itself", overlap_written, kATenOnly},
};

void repair_triangle(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, std::max(limits.max_rank, 2), limits.max_elements);
  if (rank(self.shape) < 2) set_rank(self.shape, 2);
  clamp_fill(self.fill, FillFamily::kValue);
}

void write_triangle(const OracleInput& input,
                    bool (*keeps)(std::int64_t beyond, std::int64_t diagonal),
                    std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  const std::int64_t rows = self.shape[self.shape.size() - 2], columns = self.shape.back();
  const std::int64_t diagonal = input.c.attributes[kDiagonal];
  const std::size_t item = item_size(self.dtype);
  const std::byte* from = input.operands[kSelf].data;
  std::memset(destination, 0, static_cast<std::size_t>(input.operands[kSelf].count) * item);
  for (std::int64_t i = 0; i < input.operands[kSelf].count;) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column, ++i) {
        const std::size_t offset = static_cast<std::size_t>(i) * item;
        if (keeps(column - row, diagonal)) std::memcpy(destination + offset, from + offset, item);
      }
    }
  }
}

}  // namespace indexfuzz
