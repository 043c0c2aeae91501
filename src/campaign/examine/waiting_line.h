#pragma once
// The order in which suspects are examined.

#include <deque>

#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Puts a suspect at the end of the line. A batch that died (`batch_end`) goes behind the last
/// batch, in front of all others, since its worker stands still until the failing case is located.
void line_up(std::deque<Suspect>& line, Suspect suspect);

/// Puts a suspect behind at most kOthersBefore others: its operator is set aside until it is
/// examined, and the whole line may take long.
inline constexpr std::size_t kOthersBefore = 32;
void line_up_behind_few(std::deque<Suspect>& line, Suspect suspect);

}  // namespace indexfuzz
