#pragma once
// The global state of PyTorch, the processor and the process in which every implementation runs.

#include <string>

#include "case/environment.h"

namespace indexfuzz {

/// The processor's floating-point control bits, without its exception flags.
unsigned float_control();
void set_float_control(unsigned control);

/// Sets the global state, before a job's first call of any kernel: the environment, grad mode off,
/// no backtraces in errors, no warnings, round to nearest.
void set_global_state(const Environment& environment = {});

/// Sets the number of threads for the calls from now on.
void set_threads(int threads);

/// Turns grad mode on if it is off, and off if it is on: a kernel that leaves it in one state shows
/// only if it was called in the other. No operand requires a gradient, so results do not depend on
/// it.
void alternate_grad_mode();

/// Puts back what kernels have changed of the global state since, and returns it in words: "the
/// rounding mode, the umask"; empty if nothing. Closed file descriptors count too.
std::string take_global_state_change();

}  // namespace indexfuzz
