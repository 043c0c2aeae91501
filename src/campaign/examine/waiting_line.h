#pragma once
// In which order suspects are examined.

#include <deque>

#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Puts a suspect behind those that wait; one whose batch died (`batch_end`), behind those of
/// batches alone, since its worker stands still until it is clear whose case it was.
void line_up(std::deque<Suspect>& line, Suspect suspect);

}  // namespace indexfuzz
