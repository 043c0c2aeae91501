#pragma once
// The values that are right although the oracle wrote another one.

#include <cstdint>
#include <span>
#include <vector>

#include "ops/operator.h"

namespace indexfuzz {

/// Every value that a kAnyContributor case admits, by element, made only when bytes differ; numbers
/// near a mean; of a complex sum, NaN beside an infinity or NaN; the other zero, and a quotient's
/// neighbours.
class Admissible {
 public:
  /// Of a legal case with a result of this dtype; the operands are borrowed.
  Admissible(const OracleInput& input, Dtype result, bool is_custom)
      : input_(input), result_(result), is_custom_(is_custom) {}
  /// Whether `actual` is right where the oracle wrote `expected`.
  bool holds(std::int64_t element, const std::byte* expected, const std::byte* actual);

 private:
  /// The values that meet in an element, or the terms of its mean.
  std::span<const Contribution> contributions_of(std::int64_t element);

  const OracleInput input_;
  const Dtype result_;
  const bool is_custom_;
  bool built_ = false;
  std::vector<Contribution> contributions_;  ///< sorted by element
};

}  // namespace indexfuzz
