#pragma once

#include <string_view>

#include "campaign/examine/finding.h"
#include "campaign/workers/subprocess.h"

namespace indexfuzz {

/// What a stand-alone program has shown that ended so and printed `output`. An exit code of 1 alone
/// shows nothing: Python exits so if it cannot read the program.
Verified shown_by(const ProgramEnd& end, std::string_view output);

}  // namespace indexfuzz
