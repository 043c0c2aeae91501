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

}  // namespace indexfuzz
