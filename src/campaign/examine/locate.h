#pragma once
// Finds the case of a batch on a GPU that broke the device or hangs: only the batch's end shows it.

#include <chrono>
#include <optional>
#include <span>

#include "campaign/hello.h"
#include "campaign/workers/runner.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Runs the calls of the suspects' batches again and waits after each case. If none ends its
/// process or hangs, runs all once more on a busy stream. Returns the first case that ends its
/// process or hangs, with its implementation and verdict. None if there is none, or once `until`
/// has come. Cases that fail otherwise do not count.
std::optional<Suspect> locate_in_batches(Runner& runner, const Hello& hello, const WorkPlan& plan,
                                         std::span<const Suspect> batches,
                                         std::chrono::steady_clock::time_point until);

}  // namespace indexfuzz
