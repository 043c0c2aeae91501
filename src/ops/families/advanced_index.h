#pragma once
// Advanced indexing as index and index_put understand it: a list of position tensors, masks and
// gaps (None). https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing, which
// PyTorch follows.
//
// Each present tensor selects along one dimension of self (positions) or along as many as it has
// itself (a mask, which stands for the positions of its set elements). All broadcast together to
// one shape B. The indexed shape has B in place of the indexed dimensions if these are neighbours,
// else in front.

#include <span>
#include <vector>

#include "case/limits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// What a list of indices selects from self.
struct IndexedShape {
  Dims before;          ///< dimensions of self before B
  Dims broadcast;       ///< B
  Dims after;           ///< dimensions of self after B
  Dims before_strides;  ///< of self's dense elements, parallel to `before`
  Dims after_strides;
  Dims shape() const;  ///< before + broadcast + after
};

/// The first operand of the case's list of indices, which is its overload's last parameter.
int list_begin(const Case& c);

/// The first dimension of self that `operand` of the list selects along; a mask takes rank(mask)
/// dimensions.
int first_dim_of(const Case& c, int operand);

/// The indexed shape of a legal case. A mask counts as set_elements() positions.
IndexedShape indexed_shape(const Case& c);

/// Whether the case has a list of indices that holds nothing but None. Such a list selects all of
/// self, but ATen fails on it, and so does a kernel that passes it on.
bool has_gaps_alone(const Case& c);

/// Makes the list legal for self: masks take self's sizes, positions broadcast together, at least
/// one entry selects, and the indexed shape stays within the limits. Self's shape must be final and
/// of rank 1 or more. A list of nothing but None is kept, and its case breaks no rule.
void fit_index_list(Case& c, const Limits& limits);

/// Offsets of all selected elements, as sums before[i] + broadcast[j] + after[k] in row-major order
/// of the indexed shape: into self's dense elements and into the values broadcast to it.
struct Selection {
  std::vector<std::int64_t> self_before, self_broadcast, self_after;
  std::vector<std::int64_t> values_before, values_broadcast, values_after;
};
/// Fills `selection`, reusing its vectors' memory.
void select(const OracleInput& input, const Dims& values, Selection& selection);

/// Calls f(element of self, element of values) for every selected element, in order.
template <typename F>
void for_each_selected(const Selection& s, F&& f) {
  for (std::size_t i = 0; i < s.self_before.size(); ++i) {
    for (std::size_t j = 0; j < s.self_broadcast.size(); ++j) {
      const std::int64_t self = s.self_before[i] + s.self_broadcast[j];
      const std::int64_t value = s.values_before[i] + s.values_broadcast[j];
      for (std::size_t k = 0; k < s.self_after.size(); ++k)
        f(self + s.self_after[k], value + s.values_after[k]);
    }
  }
}

}  // namespace indexfuzz
