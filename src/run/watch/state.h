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

/// Toggles grad mode: a kernel that leaves it in one state is noticed only if it was called in the
/// other. No operand requires a gradient, so results do not depend on it.
void alternate_grad_mode();

/// Puts global state back as it was set, and returns in words what kernels have changed of it: "the
/// rounding mode, the umask"; empty if nothing. Closed file descriptors count, too.
std::string take_global_state_change();

}  // namespace indexfuzz
