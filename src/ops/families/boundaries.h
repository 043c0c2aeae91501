#pragma once
// Shared by searchsorted and bucketize: the place of each value between the boundaries of a sorted
// row, so that the row would stay sorted with the value there. Of equal boundaries it is the first
// or, with `right`, the one behind the last.
//
// The two may differ in dtype: they are compared in the dtype to which they promote, and drawn so
// that it holds both exactly. A number that is a fraction is not searched among integers.
//
// The boundaries never hold NaN, for which no order is documented, and neither do the values.

#include "ops/definition/operator.h"

namespace indexfuzz {

inline constexpr std::string_view kSides[] = {"left", "right"};
/// `side` says the same as `right`; only some overloads have it.
inline constexpr AttributeSpec kBoundaryAttributes[] = {{"out_int32", AttributeType::kBool},
                                                        {"right", AttributeType::kBool},
                                                        {"side", AttributeType::kChoice, kSides}};
namespace boundary {
inline constexpr int kOutInt32 = 0, kRight = 1, kSide = 2;
}  // namespace boundary

/// The operands of a call: boundaries, sorted along their last dimension or by `sorter`, and what
/// is searched.
struct Searched {
  int boundaries, values;
  /// The sorter, -1 if there is none: indices of the shape of the boundaries. Each row of it names
  /// every element of its row of boundaries once, in the order in which they are sorted.
  int sorter = -1;
};

/// Whether the call names a side.
bool has_side(const Case& c);

/// Gives the boundaries rank 1 or, if `rows` may differ, at least 1, and values of a dtype that
/// promotes with theirs: with several rows, as many rows of values.
void repair_searched(Case& c, const Limits& limits, Searched operands, bool rows);

/// The dtype in which boundaries and values are compared.
Dtype searched_dtype(const Case& c, Searched operands);

/// Whether the value may be an integer, given as a number, beyond the range of the boundaries'
/// dtype. It has its place all the same, but a custom kernel may convert it first.
bool may_exceed_boundaries(const Case& c, Searched operands);

/// The shape of the values, int64 or int32.
ResultSpec searched_result(const Case& c, Searched operands);

/// OperatorInfo::oracle.
void write_places(const OracleInput& input, Searched operands, std::byte* destination);

/// An illegal rule: boundaries of rank 1 become a number.
bool make_number_of_boundaries(Case& c, int boundaries);

}  // namespace indexfuzz
