#pragma once
// The global state of PyTorch, the processor and the process under which every implementation runs.

#include <string>

#include "case/environment.h"

namespace indexfuzz {

/// The processor's floating-point control bits, without its exception flags.
unsigned float_control();
void set_float_control(unsigned control);

/// Before the first call of any kernel of a job: the environment, grad mode off, no backtraces in
/// errors, no warnings, round to nearest.
void set_global_state(const Environment& environment = {});

/// From now on calls have so many threads, where they had others.
void set_threads(int threads);

/// Turns grad mode on where it is off and off where it is on: a kernel may leave it either way, and
/// shows only under the other. No operand requires a gradient: results do not depend on it.
void alternate_grad_mode();

/// Empty, or what a kernel has changed of it since, in words: "the rounding mode, the umask". Puts
/// it back. Closed file descriptors count too.
std::string take_global_state_change();

}  // namespace indexfuzz
