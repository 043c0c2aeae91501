#pragma once
// The values that are right although the oracle wrote another one.

#include <map>

#include "memory/arena.h"

namespace indexfuzz {

/// Every value that a kAnyContributor case admits, by element; made only when bytes differ.
class Admissible {
 public:
  /// The arena must hold a legal case as long as this lives.
  explicit Admissible(const Arena& arena) : arena_(arena) {}
  bool holds(std::int64_t element, const std::byte* actual);

 private:
  const Arena& arena_;
  bool built_ = false;
  std::multimap<std::int64_t, const std::byte*> values_;
};

}  // namespace indexfuzz
