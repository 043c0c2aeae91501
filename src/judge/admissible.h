#pragma once
// The values that are right although the oracle wrote another one.

#include <vector>

#include "ops/operator.h"

namespace indexfuzz {

/// Every value that a kAnyContributor case admits, by element; made only when bytes differ.
class Admissible {
 public:
  /// Of a legal case with a result of this dtype; the operands are borrowed.
  Admissible(const OracleInput& input, Dtype result) : input_(input), result_(result) {}
  bool holds(std::int64_t element, const std::byte* actual);

 private:
  const OracleInput input_;
  const Dtype result_;
  bool built_ = false;
  std::vector<Contribution> contributions_;  ///< by element
};

}  // namespace indexfuzz
