#pragma once
// Advanced indexing as index and index_put understand it: a list of position tensors, masks and
// gaps. https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing, which PyTorch
// follows.
//
// Each present tensor selects along one dimension of self (positions) or along as many as it has
// itself (a mask, which stands for the positions of its set elements). All broadcast together to
// one shape B. The indexed shape has B in place of the indexed dimensions if these are neighbours,
// else in front.

#include <span>
#include <vector>

#include "case/limits.h"
#include "ops/operator.h"

namespace indexfuzz {

/// What a list of indices selects from self.
struct IndexedShape {
  Dims before;          ///< dimensions of self in front of B
  Dims broadcast;       ///< B
  Dims after;           ///< dimensions of self behind B
  Dims before_strides;  ///< of self's dense elements, parallel
  Dims after_strides;
  Dims shape() const;  ///< before + broadcast + after
};

/// The dimension of self that operand k of the list selects along; masks occupy rank(mask) of them.
int first_dim_of(const Case& c, int list_begin, int operand);

/// The indexed shape of a legal case. A mask counts as set_elements() positions.
IndexedShape indexed_shape(const Case& c, int self, int list_begin);

/// Whether the case has a list of indices, of None alone. It names everything, but ATen makes
/// nothing of it, and neither do kernels that hand it on.
bool has_gaps_alone(const Case& c);

/// Makes the list legal for self: masks take self's sizes, positions broadcast together, something
/// is selected, and the indexed shape keeps within the limits. Needs self's final shape, of rank 1
/// or more. A list of None alone stays one, and breaks no rule.
void fit_index_list(Case& c, int self, int list_begin, const Limits& limits);

/// Offsets of all selected elements, as sums before[i] + broadcast[j] + after[k] in row-major order
/// of the indexed shape: into self's dense elements and into the values broadcast to it.
struct Selection {
  std::vector<std::int64_t> self_before, self_broadcast, self_after;
  std::vector<std::int64_t> values_before, values_broadcast, values_after;
};
/// Reuses the vectors' memory.
void select(const OracleInput& input, int self, int list_begin, const Dims& values,
            Selection& selection);

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
