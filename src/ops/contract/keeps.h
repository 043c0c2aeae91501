#pragma once
// Whether a case lies within a contract.

#include <optional>
#include <string>
#include <string_view>

#include "case/case.h"
#include "case/contract.h"

namespace indexfuzz {

/// A term of a contract that a case does not keep.
struct Breach {
  int operand = -1;       ///< -1: it is about an argument that is no tensor
  std::string_view term;  ///< as the file calls it, "rank", or that argument's name
};

/// The first term that the case, legal or with its rule applied, may not keep. None if the case
/// surely lies within the contract. Some terms (about alignment, overlaps, values of indices) a
/// case may keep by chance; they count here.
std::optional<Breach> first_breach(const Contract& contract, const Case& c);
inline bool keeps(const Contract& contract, const Case& c) {
  return !first_breach(contract, c);
}
/// The first term that a legal case surely does not keep; terms that it may keep by chance do not
/// count.
std::optional<Breach> sure_breach(const Contract& contract, const Case& c);
/// As keeps(), for a case as it was drawn: with its rule applied, if it names one.
bool keeps_when_applied(const Contract& contract, const Case& c);

/// "the rank of self", "dim".
std::string describe(const Breach& breach, const Case& c);

/// Whether operand k surely keeps its terms.
bool keeps(const TensorTerms& terms, const Case& c, int operand);

/// The terms of an operand; null if there are none.
const TensorTerms* terms_of(const Contract& contract, const Case& c, int operand);

}  // namespace indexfuzz
