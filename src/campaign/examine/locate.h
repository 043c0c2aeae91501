#pragma once
// Which case of a batch on a GPU broke the device, or hangs: it is noticed only at the batch's end.

#include <optional>
#include <span>

#include "campaign/hello.h"
#include "campaign/workers/runner.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Runs what was called in the batches of suspects again, each case waited for by itself, and where
/// none of any batch ends its process or hangs so, on a busy stream. Returns the first that does,
/// with its implementation and verdict, or none. Cases that fail otherwise are not to blame.
std::optional<Suspect> locate_in_batches(Runner& runner, const Hello& hello, const WorkPlan& plan,
                                         std::span<const Suspect> batches);

}  // namespace indexfuzz
