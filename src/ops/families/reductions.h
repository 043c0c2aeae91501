#pragma once
// Shared by scatter_reduce, index_reduce and scatter with reduce: elements of a source are combined
// with the elements of self (operand 0) that an index names.
// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
//
// Integers wrap. A mean of integers is rounded down, and filled so that its sum does not wrap,
// since an implementation may add in a wider dtype. Floating-point operands are filled so that sums
// and products are exact in every order; a mean is such a sum divided once, or within the tolerance
// of mean.h. NaN is the largest and the smallest number; of two zeros either may be returned.
// Without include_self, an element of self that the index names takes no part.

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/families/moves.h"

namespace indexfuzz {

enum class Reduction : std::uint8_t { kSum, kProd, kMean, kAmax, kAmin };
/// PyTorch's names, indexed by Reduction.
inline constexpr std::string_view kReductions[] = {"sum", "prod", "mean", "amax", "amin"};

/// Gives self (operand 0) a dtype whose order and arithmetic all implementations share: complex for
/// sums only, no float8, and no bool for means. The attribute's value is an index into the
/// reductions from `first` on; if the limits leave its choice no dtype, it becomes `first`, which
/// takes the most dtypes.
void settle_reduction(Case& c, std::size_t attribute, Reduction first, const Limits& limits);

/// Restricts the operands' fills to values that all implementations combine alike. `adds_once`: no
/// element of self is named twice.
void settle_reduction_fills(Reduction reduction, Operand& self, Operand& source, bool adds_once);

/// OperatorInfo::uses of a reduction.
std::int64_t uses_in(Reduction reduction, const Case& c, int operand);

/// OperatorInfo::agreement of a reduction.
Agreement agreement_of(Reduction reduction);

/// An element of self, and the element of the source that is combined with it.
struct ReducedPair {
  std::int64_t element, from;
};

/// The pairs of an operator whose operands are self, index and src; valid until the thread's next
/// call.
const std::vector<ReducedPair>& scattered_pairs(const OracleInput& input);

/// Passes every term of the means of these pairs to the sink, with include_self also self's
/// elements.
void mean_terms(const OracleInput& input, int source, bool include_self,
                const std::vector<ReducedPair>& pairs, ContributionSink sink, void* context);

/// Writes self (operand 0) with the pairs combined. `source` must have self's dtype.
void reduce_pairs(const OracleInput& input, int source, Reduction reduction, bool include_self,
                  const std::vector<ReducedPair>& pairs, std::byte* destination);

}  // namespace indexfuzz
