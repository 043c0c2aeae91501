#pragma once
// Custom kernels promise less than ATen: they refuse dtypes, layouts, whatever they were not
// written for. The traits by which a kernel narrows itself are learned from the legal cases that it
// refuses, and similar cases become rare: a kernel that takes one case in a hundred should spend
// its time on that one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/shared/protocol.h"

namespace indexfuzz {

/// Learns from a legal case that a custom implementation took or refused. Cheap; calls may be left
/// out until it has refused a case.
void note_legal_call(Slot& slot, std::size_t implementation, const Case& c, bool refused);

/// Counts the traits of a legal case on which an implementation that has a contract agreed.
void note_held(Slot& slot, std::size_t implementation, const Case& c);

/// Whether the implementation has refused so many legal cases in a row that, at the rate at which
/// it took them before, this is not chance: an earlier call may have left it broken. True once for
/// each such row.
bool has_stopped_taking(Slot& slot, std::size_t implementation, const Case& latest);

/// Whether the implementation narrows itself by a trait of the case.
bool expects_refusal(const Slot& slot, std::size_t implementation, const Case& c);

/// Whether the implementation is spared case `number` for that reason; now and then it is not.
bool is_passed_over(const Slot& slot, std::size_t implementation, std::uint64_t number,
                    const Case& c);

/// The traits by which implementations narrow themselves, as known at one moment: for threads that
/// prepare cases while more is learned.
using Narrowings = std::vector<std::uint32_t>;  // number_of() each trait, in order
Narrowings narrowings(const Slot& slot);
bool is_passed_over(const Narrowings& known, std::size_t implementation, std::uint64_t number,
                    const Case& c);

}  // namespace indexfuzz
