#pragma once
// Calls that take operands which share memory.

#include <cstddef>
#include <vector>

#include "memory/arena.h"

namespace indexfuzz {

/// Whether a call that returned, and left the written operand the view that it was, left what it
/// would have left had no operand shared memory with the one that it writes. ATen refuses such
/// operands ("some elements of the input tensor and the written-to tensor refer to a single memory
/// location"); a kernel that computes first and writes then need not. Sums of floating point that
/// may round are taken as they are. False where the shared bytes are to be read as a mask, or as
/// positions that are not all legal. The arena holds the case with its rule applied.
bool right_despite_sharing(const Arena& arena);

/// The operand that lies in another one's memory; -1 without one.
int guest_of(const Case& c);
/// Whether operand k is that guest or its host.
bool takes_part_in_sharing(const Case& c, int k);
/// Whether operand `guest` lies in the memory of operand `host`.
bool lies_in(const Case& c, int guest, int host);
/// The host's memory as it was before the call, with the elements of the written operand, which is
/// the host or the guest, as they are now.
std::vector<std::byte> image_with_written(const Arena& arena);
/// Whether the guest is an `out` that the call resizes, so that it grows into its host.
bool grows_into_host(const Case& c);
/// Whether what is written lies in one memory with indices, a mask or what is asked whether it is
/// zero.
bool overwrites_positions(const Case& c);
/// Whether the guest is a part of its host with gaps. ATen's check takes such operands ("too
/// hard"), so that a kernel which does as it does is not to blame; where ATen's result is wrong for
/// it, what refuses dense operands has let these pass.
bool shares_with_gaps(const Case& c);

}  // namespace indexfuzz
