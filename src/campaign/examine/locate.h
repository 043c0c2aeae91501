#pragma once
// Which case of a batch on a GPU broke the device, or hangs: it is noticed only at the batch's end.

#include <optional>

#include "campaign/hello.h"
#include "campaign/workers/runner.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Runs the batch of a suspect again, each case waited for by itself, and where none fails so, on a
/// busy stream. Returns the first that fails, with its implementation and verdict; none where all
/// of them pass now.
std::optional<Suspect> locate_in_batch(Runner& runner, const Hello& hello, const WorkPlan& plan,
                                       const Suspect& batch);

}  // namespace indexfuzz
