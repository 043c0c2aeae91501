#pragma once
// Native coverage: which basic blocks of ATen's indexing code the cases reach, in an ordinary
// LibTorch, without an instrumented build of it.

#include <cstdint>
#include <span>

#include "ops/definition/operator.h"
#include "run/shared/native_map.h"

namespace indexfuzz {

/// Finds the blocks of libtorch_cpu.so's indexing functions, describes them in `map`, which must be
/// shared with all children forked from now on, and sets a trap (traps.h) on each. For the zygote,
/// before any kernel has run and while there is one thread. If it cannot be done, map.error says
/// why and all goes on without it. Takes about 0.3 s.
void install_native_coverage(NativeCoverageMap& map, std::span<const OperatorInfo* const> asked);

/// 8-bit counters that show which inputs reach a block for the first time in this process: see
/// TrapNotes::counters. libFuzzer recognises them as extra counters by their section, and sets them
/// to 0 before each input.
std::span<std::uint8_t> native_counters();

}  // namespace indexfuzz
