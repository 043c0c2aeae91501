#pragma once
// Calls that take operands which share memory.

#include "memory/arena.h"
#include "memory/observation.h"

namespace indexfuzz {

/// Whether a call that returned left what it would have left had no operand shared memory with the
/// one that it writes. ATen refuses such operands ("some elements of the input tensor and the
/// written-to tensor refer to a single memory location"); a kernel that computes first and writes
/// then need not. Sums of floating point that may round are taken as they are. False where no
/// operand lies in another one's memory, or where the shared bytes are to be read as positions or a
/// mask. The arena holds the case with its rule applied.
bool right_despite_sharing(const Arena& arena, const Observation& observation);

/// Whether operand k lies in another one's memory, or another one in its.
bool takes_part_in_sharing(const Case& c, int k);

}  // namespace indexfuzz
