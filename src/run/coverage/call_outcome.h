#pragma once
// How the calls of one case ended.

#include <boost/container/static_vector.hpp>

#include <cstdint>

#include "judge/verdict.h"
#include "memory/observation.h"
#include "run/shared/job.h"

namespace indexfuzz {

/// How one call of a case ended.
struct CallOutcome {
  std::uint8_t implementation;
  Outcome outcome;
  Status status;
  Kind kind;                  ///< of a finding
  std::uint32_t error_class;  ///< of a finding with a message, else 0
};
using CallOutcomes = boost::container::static_vector<CallOutcome, kMaxImplementations>;

/// Whether further cases may be made from this one: something was verified, which excludes an empty
/// case and one that no implementation supports, and nothing failed, since cases near a failing one
/// mostly show the same failure.
bool is_worth_keeping(const CallOutcomes& outcomes);

}  // namespace indexfuzz
