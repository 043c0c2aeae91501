#pragma once

#include "memory/observation.h"
#include "run/shared/returned_elements.h"

namespace indexfuzz {

/// Copies the operand that a call wrote, or else its result; only while these are in memory.
void keep_returned(const Observation& observation, ReturnedElements& returned);

}  // namespace indexfuzz
