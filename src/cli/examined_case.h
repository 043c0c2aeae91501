#pragma once
// A case as its stand-alone programs need it, for `export`, `diagnose` and `bisect`.

#include <string>
#include <string_view>

#include "cli/case_commands.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

struct ExaminedCase {
  Reproduction reproduction;
  std::string passes;  ///< "aten:cpu agrees with the oracle"; empty if the case fails
};

/// Runs the case on what is under test, and takes the first implementation on which it fails; if it
/// fails on none, the first. Throws SetupError, also for a case that passes but was found on an
/// implementation that is not tested, unless one is named: "nothing to VERB". Throws Interruption.
ExaminedCase examine_case(const OneCase& one, std::string_view verb);

/// Says on stderr that the program of a case that passes looks at the result alone.
void tell_if_it_passes(const ExaminedCase& examined);

}  // namespace indexfuzz
