#pragma once
// Shared by the operators that return a copy of self (operand 0) in which src (operand 1) takes the
// place of the elements that a view of self names.

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/definition/operator.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"

namespace indexfuzz {

namespace embedded_view {
inline constexpr int kSrc = 1;
}  // namespace embedded_view
inline constexpr OperandSpec kEmbeddedViewOperands[] = {
    {.name = "self", .role = Role::kValue, .copies_storage = true}, {"src", Role::kValue}};

/// Elements of a dense tensor; strides and `first` count elements.
struct DenseView {
  Dims shape, strides;
  std::int64_t first = 0;
};

/// Makes self and src, except for src's shape, legal; self gets at least `least_rank` dimensions.
void repair_embedded(Case& c, const Limits& limits, int least_rank);

/// Writes self with src, which has the view's shape, in place of the view's elements.
void write_embedded(const OracleInput& input, const DenseView& view, std::byte* destination);

/// Rules. ATen demands exactly the view's shape of src; a custom kernel may hand src on to an
/// operator that broadcasts it.
namespace embedded_view_rules {

/// A size too large by one (two for an empty dimension), so that src does not broadcast either.
bool src_shape(Case& c);
/// One dimension more, at the end.
bool src_rank(Case& c);
/// One dimension fewer.
bool src_rank_lower(Case& c);
/// Size 1 where the view has more.
bool src_broadcasts(Case& c);
/// A self without dimensions.
bool self_rank(Case& c);

}  // namespace embedded_view_rules

/// An operator's own rules, numbered from 1 on, and behind them those that are the same for all.
template <std::size_t kOwn>
constexpr std::array<IllegalRule, kOwn + 6> with_common_rules(const IllegalRule (&own)[kOwn]) {
  constexpr std::uint8_t kNext = kOwn + 1;
  const IllegalRule common[] = {
      {kNext, "src_shape", embedded_view_rules::src_shape},
      {kNext + 1, "src_rank", embedded_view_rules::src_rank},
      {kNext + 2, "src_rank_lower", embedded_view_rules::src_rank_lower, kATenOnly},
      {kNext + 3, "src_broadcasts", embedded_view_rules::src_broadcasts, kATenOnly},
      {kNext + 4, "out_dtype", change_out_dtype},
      {kNext + 5, "out_overlaps_itself", overlap_written},
  };
  std::array<IllegalRule, kOwn + 6> all{};
  std::ranges::copy(common, std::ranges::copy(own, all.begin()).out);
  return all;
}

/// The rules of an operator that replaces slices along dim, attribute 0; two are its own, rules 1
/// and 2.
constexpr auto rules_of_slices(IllegalRule first, IllegalRule second) {
  return with_common_rules({first,
                            second,
                            {3, "dim_above", dim_above},
                            {4, "dim_below", dim_below},
                            {5, "self_rank", embedded_view_rules::self_rank}});
}

}  // namespace indexfuzz
