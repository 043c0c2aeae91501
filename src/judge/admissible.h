#pragma once
// Which values are right although the oracle wrote another one.

#include <cstdint>
#include <span>
#include <vector>

#include "judge/standing.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Decides whether a value that differs from the oracle's is right all the same. By the case's
/// Agreement (ops/definition/operator.h):
/// - kAnyContributor: the value of another contributor; from a custom kernel, a complex number each
///   of whose parts is that of any contributor;
/// - kMean: a number within the mean's tolerance;
/// - kSum: from a custom kernel, NaN in a part of a complex number whose other part must be
/// infinite
///   or NaN;
/// - kEitherZero, kQuotient: the zero of the other sign; of a quotient, a neighbouring number.
/// A custom kernel's gradient may be computed with sums and products by 0 or 1, which change the
/// sign of a zero and spread NaN to the other part of a complex number. Contributions are computed
/// when first needed.
class Admissible {
 public:
  /// `input` is a legal case, whose operands are borrowed; `result` is the dtype of its result.
  Admissible(const OracleInput& input, Dtype result, const Standing& standing)
      : input_(input), result_(result), standing_(standing) {}
  /// Whether `actual` is right where the oracle wrote `expected`.
  bool holds(std::int64_t element, const std::byte* expected, const std::byte* actual);

 private:
  /// The values written to an element, or the terms of its mean.
  std::span<const Contribution> contributions_of(std::int64_t element);

  const OracleInput input_;
  const Dtype result_;
  const Standing standing_;
  bool built_ = false;
  std::vector<Contribution> contributions_;  ///< sorted by element
};

}  // namespace indexfuzz
