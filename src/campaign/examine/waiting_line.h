#pragma once
// The order in which suspects are examined.

#include <deque>

#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Puts a suspect at the end of the line; a batch that died (`batch_end`) only after other batches,
/// since its worker stands still until the failing case is located.
void line_up(std::deque<Suspect>& line, Suspect suspect);

/// Puts a suspect behind at most kOthersBefore others: no worker runs its operator until it is
/// examined, which takes as long as the examination of many others.
inline constexpr std::size_t kOthersBefore = 32;
void line_up_behind_few(std::deque<Suspect>& line, Suspect suspect);

}  // namespace indexfuzz
