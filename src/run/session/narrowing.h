#pragma once
// Custom kernels promise less than ATen: they refuse dtypes, layouts, whatever they were not
// written for. A kernel narrows itself by a trait if it refuses nearly all legal cases with it.
// These traits are learned from the legal cases that it refuses, and similar cases are passed over,
// all but a few: a kernel that takes one case in a hundred should spend its time on that one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/shared/protocol.h"

namespace indexfuzz {

/// Learns from a legal case that a custom implementation took or refused. Cheap. Need not be called
/// until the implementation has refused a case.
void note_legal_call(Slot& slot, std::size_t implementation, const Case& c, bool refused);

/// Counts the traits of a legal case on which an implementation that has a contract agreed.
void note_held(Slot& slot, std::size_t implementation, const Case& c);

/// Whether the implementation has refused so many legal cases in a row that, at the rate at which
/// it took them before, chance does not explain it: an earlier call may have left it broken. True
/// once for each such row.
bool has_stopped_taking(Slot& slot, std::size_t implementation, const Case& latest);

/// Whether the implementation narrows itself by a trait of the case.
bool expects_refusal(const Slot& slot, std::size_t implementation, const Case& c);

/// Whether case `number` is passed over, since expects_refusal(): true for all but one in 16 such
/// cases, or one in 256 if the implementation narrows itself by several of its traits.
bool is_passed_over(const Slot& slot, std::size_t implementation, std::uint64_t number,
                    const Case& c);

/// The traits by which implementations narrow themselves, as known at one moment: for threads that
/// prepare cases while the process that makes the calls goes on learning.
using Narrowings = std::vector<std::uint32_t>;  // number_of() each trait, in order
Narrowings narrowings(const Slot& slot);
bool is_passed_over(const Narrowings& known, std::size_t implementation, std::uint64_t number,
                    const Case& c);

}  // namespace indexfuzz
