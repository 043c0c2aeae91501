#include "ops/families/padding.h"
#include "ops/definition/operator.h"

#include "ops/families/moves.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;

/// Fewer dimensions than channels and the padded ones have, or more than with batches.
bool change_rank(Case& c, bool lower) {
  if (c.variant != Variant::kFunctional) return false;
  if (!lower) return add_dimension(c, kSelf, rank_with_batches(c) + 1);
  while (rank(c.operands[kSelf].shape) > padded_dims(c)) remove_dimension(c, kSelf, 1);
  return true;
}

bool empty_padded_dimension(Case& c) {
  Operand& self = c.operands[kSelf];
  resize_dimension(self, self.shape.size() - 1, 0);
  return true;
}

/// The rules of all operators that pad, and one more.
constexpr std::array<IllegalRule, 8> padding_rules_and(IllegalRule last) {
  // There is no rule against an out that is self, of which nothing is documented.
  return {{
      // A custom kernel may well take any number of dimensions, or nothing to be padded.
      {1, "rank_above", [](Case& c) { return change_rank(c, false); }, kATenOnly},
      {2, "rank_below", [](Case& c) { return change_rank(c, true); }, kATenOnly},
      {3, "self_empty", empty_padded_dimension, kATenOnly},
      {4, "out_dtype", change_out_dtype},
      {5, "out_overlaps_itself", overlap_written},
      last,
      {7, "padding_empty", [](Case& c) { return empty_list(c, 0); }, kATenOnly},
      {8, "padding_longer", [](Case& c) { return lengthen_list(c, 0); }, kATenOnly},
  }};
}

void write_padded(const OracleInput& input, PaddingSource source_of, std::byte* destination) {
  move_elements(input.c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  for_each_source(input.c, source_of,
                                  [&](std::int64_t element) { *to++ = from[element]; });
                });
}

}  // namespace

constinit const std::array<IllegalRule, 8> reflection_rules =
    padding_rules_and({6, "padding_as_long", pad_by_whole_size});
constinit const std::array<IllegalRule, 8> replication_rules =
    padding_rules_and({6, "padding_overflows", pad_beyond_int64, kATenOnly});

void repair_reflection(Case& c, const Limits& limits) {
  repair_reflected(c, limits, limits.dtypes);
}

void repair_replication(Case& c, const Limits& limits) {
  repair_replicated(c, limits, limits.dtypes);
}

void write_reflected(const OracleInput& input, std::byte* destination) {
  write_padded(input, reflected_place, destination);
}

void write_replicated(const OracleInput& input, std::byte* destination) {
  write_padded(input, replicated_place, destination);
}

}  // namespace indexfuzz
