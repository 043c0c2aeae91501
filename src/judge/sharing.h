#pragma once
// Calls with operands that share memory. A guest is an operand that lies in the memory of another
// one, its host.

#include <cstddef>
#include <vector>

#include "memory/arena.h"

namespace indexfuzz {

/// Whether a call that returned, and left the written operand the same view, produced the result
/// that it would have produced had the operands not shared memory. ATen refuses such operands
/// ("some elements of the input tensor and the written-to tensor refer to a single memory
/// location"); a kernel that computes the whole result before it writes need not. Floating-point
/// sums that may round are not compared. False if the call reads the shared bytes as a mask, or as
/// positions that are not all legal. The arena holds the case with its rule applied, and the call
/// does not resize the written operand (grows_into_host()).
bool right_despite_sharing(const Arena& arena);

/// The guest; -1 if there is none.
int guest_of(const Case& c);
/// Whether operand k is the guest or its host.
bool takes_part_in_sharing(const Case& c, int k);
/// Whether operand `guest` lies in the memory of operand `host`.
bool lies_in(const Case& c, int guest, int host);
/// The host's memory as before the call, except for the elements of the written operand (the host
/// or the guest), which are as after it.
std::vector<std::byte> image_with_written(const Arena& arena);
/// Whether the guest is an `out` that the call resizes, so that it grows into its host.
bool grows_into_host(const Case& c);
/// Whether the written operand shares memory with an operand of another role than Role::kValue:
/// indices, a mask, or elements of which only zero or not counts.
bool overwrites_positions(const Case& c);
/// Whether the guest is a strided part of its host, with gaps. ATen's overlap check accepts such
/// operands ("too hard"), so accepting them is a finding only if the result is wrong. That holds
/// for ATen too: its check, which refuses dense operands, has then missed these.
bool shares_with_gaps(const Case& c);

}  // namespace indexfuzz
