#include "ops/illegal/break_arguments.h"

#include "ops/illegal/chance.h"

namespace indexfuzz {
namespace {

void set_illegal_dim(Case& c, std::int64_t nearest) {
  const std::uint64_t chance = chance_of(c.operands[0], static_cast<std::uint64_t>(nearest));
  std::int64_t& dim = c.attributes[0];
  dim = chance % 4 == 3 ? far_out(nearest, Dtype::kInt64, chance >> 40) : nearest;
  if (dim == kNoInt) ++dim;
}

}  // namespace

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

}  // namespace indexfuzz
