#pragma once
// Shared by sort, topk, cummax and cummin: of each slice of self along `dim` elements in an order,
// and where in the slice they lie. Of the two results, values and indices, an overload judges one.
// Self is operand 0, dim attribute 0; a self of rank 0 counts as a slice of one element.
//
// NaN is greater than any number, and comes first in a cummin, too. Zeros of both signs are equal.
//
// Agreement: elements are only moved, so that they keep their bits, but for those of NaN. Unless a
// call promises which of several equal elements stands where, a position of any of them is right,
// and a zero of either sign that is among them. Of sort and topk ATen uses that freedom, on the CPU
// for 20 equal elements and more; its cummax and cummin always name the last, which is not
// documented. That a position is named twice among equal elements is not noticed.
// https://pytorch.org/docs/stable/generated/torch.argsort.html

#include "case/limits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

namespace ordered {
inline constexpr int kSelf = 0, kDim = 0;
/// The places of the results: Overload::judged.
inline constexpr std::size_t kValues = 0, kIndices = 1, kResults = 2;
/// The spare `out` of the overloads that judge one of them.
inline constexpr SpareOut kSpareIndices{"indices", false}, kSpareValues{"values", true};
inline constexpr std::string_view kWhySeveral =
    "Of elements that are equal any may stand in, or be named for, the place of another";
}  // namespace ordered
inline constexpr OperandSpec kOrderedOperands[] = {{"self", Role::kValue}};

/// Which element of its slice each place of a result holds.
enum class PlaceOrder : std::uint8_t {
  kLeastFirst,     ///< as sorted, equal ones in the order in which they lie in the slice
  kGreatestFirst,  ///< the same, descending
  kLeastSoFar,     ///< NaN or else the least up to this place, of equal ones the last
  kGreatestSoFar,  ///< the greatest up to this place, of equal ones the last
};

/// Whether the case's overload judges the indices.
bool judges_indices(const Case& c);

/// Gives self one of these dtypes, and numbers of which some are equal. Attributes are not looked
/// at.
void repair_ordered(Case& c, const Limits& limits, DtypeSet dtypes);
/// Where any of equal elements may be named, gives long slices numbers of which few are equal, or
/// makes them shorter: each of the equal ones is looked at for each place. Called last in a repair.
void limit_equals(Case& c, const Limits& limits);

/// `shape`, of self's dtype or int64.
ResultSpec ordered_result(const Case& c, const Dims& shape);

/// OperatorInfo::agreement, where the order of equal elements is not promised.
Agreement agreement_of_equals(const Case& c);

/// OperatorInfo::oracle and ::contributions. A slice of the result has no more places than one of
/// self.
void write_ordered(const OracleInput& input, PlaceOrder order, std::byte* destination);
void pass_equals(const OracleInput& input, PlaceOrder order, ContributionSink sink, void* context);

}  // namespace indexfuzz
