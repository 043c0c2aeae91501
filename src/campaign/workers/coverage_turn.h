#pragma once
// The timetable of the coverage engine: which operator a turn is about, and in which environment.

#include <cstddef>
#include <cstdint>

#include "case/environment.h"

namespace indexfuzz {

struct CoverageTurn {
  std::size_t op;           ///< the place of its operator among those of the campaign
  Environment environment;  ///< as the turns of property-based cases have them
  std::uint64_t cases;      ///< for an engine that has the worker to itself
};

/// A worker's turn of this number; `operators` is 1 or more. The operators take turns; when all
/// have had theirs, the environment changes. A turn begins with a new process and with the corpus
/// of its operator, which takes time, so later turns are longer. They become longer only once each
/// operator has met every environment: some code is reached in one environment alone, such as what
/// several threads run on a processor without wide instructions.
CoverageTurn coverage_turn(std::uint32_t worker, std::uint64_t turn, std::size_t operators);

}  // namespace indexfuzz
