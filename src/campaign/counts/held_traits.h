#pragma once
// What a campaign has shown of a kernel under a contract: with which traits of cases the kernel
// agreed.

#include <string>
#include <vector>

#include "campaign/counts/totals.h"
#include "campaign/hello.h"

namespace indexfuzz {

/// Traits of legal cases, in words: "self is 2-dimensional".
struct HeldTraits {
  std::vector<std::string> held;       ///< of cases on which the kernel agreed
  std::vector<std::string> never_met;  ///< of none of these, but of cases drawn without a contract
};
/// Empty for a pair whose implementation has no contract, or agreed on nothing.
HeldTraits held_traits(const Totals& totals, const Hello& hello, const TestedPair& pair);

}  // namespace indexfuzz
