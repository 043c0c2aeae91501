#pragma once
// The global state of PyTorch, the processor and the process under which every implementation runs.

#include <string>

#include "case/environment.h"

namespace indexfuzz {

/// Before the first call of any kernel of a job: the environment, no grad mode, no backtraces in
/// errors, no warnings, round to nearest.
void set_global_state(const Environment& environment = {});

/// Empty, or what a kernel has changed of it since, in words: "the rounding mode, grad mode". Puts
/// it back. Closed file descriptors count too, random generators and environment variables do not.
std::string take_global_state_change();

}  // namespace indexfuzz
