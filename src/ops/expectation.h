#pragma once
// A case in full, in ordinary memory: for reproducers, `show` and tests. The campaign's hot path
// keeps the same values in an Arena instead.

#include <cstddef>
#include <string_view>
#include <vector>

#include "ops/operator.h"

namespace indexfuzz {

struct Expectation {
  Case c;  ///< with its rule applied
  bool must_refuse = false;
  std::vector<std::vector<std::byte>> operands;  ///< dense logical elements, parallel to c.operands
  ResultSpec result;                             ///< of a legal case
  std::vector<std::byte> values;                 ///< the oracle's result, dense
  Agreement agreement = Agreement::kExact;
  /// Per element of the result, every admissible value where there is more than one.
  std::vector<std::vector<std::vector<std::byte>>>
      admissible;  ///< empty, or parallel to the result
  /// How far an element of a mean may be from the oracle's: empty, or parallel to the result.
  std::vector<double> tolerance;
};

Expectation expectation(const Case& legal);

/// Whether any element may be another than the oracle's.
bool has_choices(const Expectation& e);

/// Why several values are admissible: "Where several writes meet, any one of them may win".
std::string_view why_several(Agreement agreement);

}  // namespace indexfuzz
