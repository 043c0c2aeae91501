#pragma once
// What scatter_reduce and index_reduce share: elements of a source united with those of self, the
// first operand, that an index names.
// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
//
// Integers wrap; a mean of them, rounded down, is filled so that its sum does not, since one may
// add in a wider dtype. Sums and products of floating point are filled so that they are exact in
// every order; a mean is such a sum divided once, or as near to it as mean.h says. NaN is the
// largest and the smallest number; of two zeros either is. Without include_self an element of self
// that is named counts as not there.

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/moves.h"
#include "ops/operator.h"

namespace indexfuzz {

enum class Reduction : std::uint8_t { kSum, kProd, kMean, kAmax, kAmin };
/// As PyTorch names them, by number.
inline constexpr std::string_view kReductions[] = {"sum", "prod", "mean", "amax", "amin"};

/// Gives self, the first operand, a dtype whose elements have an order and arithmetic that every
/// implementation shares: a complex one for a sum alone, none of 8 bits with an exponent, and no
/// bool for a mean. `attribute` chooses among the reductions from `first` on; where the limits
/// leave its choice no dtype, it becomes the first, which takes the most.
void settle_reduction(Case& c, std::size_t attribute, Reduction first, const Limits& limits);

/// Values that are united in one way. `adds_once`: no element of self is named twice.
void demand_settled_reduction(Reduction reduction, Operand& self, Operand& source, bool adds_once);

/// OperatorInfo::uses of a reduction.
std::int64_t uses_in(Reduction reduction, const Case& c, int operand);

Agreement agreement_of(Reduction reduction);

/// An element of self, and the one of the source that is united with it.
struct Pair {
  std::int64_t element, from;
};

/// Those of an operator whose operands are self, index and src, valid until the thread's next call.
const std::vector<Pair>& scattered_pairs(const OracleInput& input);

/// Every term of the means of these pairs, self's where it counts.
void mean_terms(const OracleInput& input, int source, bool include_self,
                const std::vector<Pair>& pairs, ContributionSink sink, void* context);

/// Writes self, of operands 0 and `source` all of one dtype, with the pairs united.
void reduce_pairs(const OracleInput& input, int source, Reduction reduction, bool include_self,
                  const std::vector<Pair>& pairs, std::byte* destination);

}  // namespace indexfuzz
