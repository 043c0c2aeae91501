#pragma once
// Calls with operands that share memory. A guest is an operand that lies in the memory of another
// one, its host.

#include <cstddef>
#include <vector>

#include "memory/arena.h"

namespace indexfuzz {

/// Whether a call that returned produced the same result as it would have without shared memory.
/// ATen refuses such operands ("some elements of the input tensor and the written-to tensor refer
/// to a single memory location"); a kernel that computes the whole result before it writes need
/// not. Floating-point sums that may round are not compared. False if the call reads the shared
/// bytes as a mask, or as positions of which some are illegal. Required: the arena holds the case
/// with its rule applied; the call left the written operand the same view and does not resize it
/// (grows_into_host()).
bool right_despite_sharing(const Arena& arena);

/// The guest; -1 if there is none.
int guest_of(const Case& c);
/// Whether operand k is the guest or its host.
bool takes_part_in_sharing(const Case& c, int k);
/// Whether operand `guest` lies in the memory of operand `host`.
bool lies_in(const Case& c, int guest, int host);
/// The host's memory as before the call, except that the elements of the written operand (the host
/// or the guest) are as after it.
std::vector<std::byte> image_with_written(const Arena& arena);
/// Whether the guest is an `out` that the call resizes, so that it grows into its host.
bool grows_into_host(const Case& c);
/// Whether the written operand shares memory with an operand of another role than Role::kValue:
/// indices, a mask, or elements of which only zero or not counts.
bool overwrites_positions(const Case& c);
/// Whether the guest is a strided part of its host, with gaps. ATen's overlap check, which refuses
/// dense operands that share memory, gives up on these ("too hard") and accepts them. Accepting
/// them is therefore a finding only if the result is wrong, for ATen, too.
bool shares_with_gaps(const Case& c);

}  // namespace indexfuzz
