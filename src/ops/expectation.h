#pragma once
// A case with its operands' values and its expected result, in ordinary memory, for reproducers,
// `show` and tests. The campaign's hot path keeps these values in an Arena instead.

#include <cstddef>
#include <string_view>
#include <vector>

#include "ops/definition/operator.h"

namespace indexfuzz {

struct Expectation {
  Case c;  ///< with its rule applied
  bool must_refuse = false;
  /// Dense logical elements as a call sees them, parallel to c.operands.
  std::vector<std::vector<std::byte>> operands;
  ResultSpec result;              ///< of a legal case
  std::vector<std::byte> values;  ///< the oracle's result, dense
  Agreement agreement = Agreement::kExact;
  /// For each element of the result, all admissible values if there is more than one; empty, or
  /// parallel to the result.
  std::vector<std::vector<std::vector<std::byte>>> admissible;
  /// How far each element of a mean may be from the oracle's; empty, or parallel to the result.
  std::vector<double> tolerance;
};

/// What a call of the case must return. A rule that the case breaks is applied first; the oracle
/// runs only if the case breaks none.
Expectation expectation(const Case& legal);

/// Whether any element may differ from the oracle's.
bool has_choices(const Expectation& e);

/// Why several values are admissible: "Where several writes meet, any one of them may win".
std::string_view why_several(const Expectation& e);

}  // namespace indexfuzz
