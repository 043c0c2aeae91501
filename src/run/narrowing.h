#pragma once
// Kernels promise less than ATen: they refuse dtypes, layouts, whatever they were not written for.
// By which traits one narrows itself is learned from the legal cases that it refuses, and cases
// that it would refuse again become rare: of a kernel that takes one case in a hundred, the time
// goes to that one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/protocol.h"

namespace indexfuzz {

/// Learns from a legal case that a custom implementation took or refused. Cheap, and to be left
/// out, as long as it has refused none.
void note_legal_call(Slot& slot, std::size_t implementation, const Case& c, bool refused);

/// Whether the implementation has refused so many legal cases in a row that, at the rate at which
/// it took them before, this is no chance: it may be a call that it has not got over. Told once for
/// each such row.
bool has_stopped_taking(Slot& slot, std::size_t implementation, const Case& latest);

/// Whether the implementation narrows itself by a trait of the case.
bool expects_refusal(const Slot& slot, std::size_t implementation, const Case& c);

/// Whether it is to be spared the case number `number` for that; now and then it is not.
bool is_passed_over(const Slot& slot, std::size_t implementation, std::uint64_t number,
                    const Case& c);

/// By what the implementations narrow themselves, as far as is known at one moment: for threads
/// that prepare cases while more is learned.
using Narrowings = std::vector<std::uint32_t>;  // number_of() each trait, in order
Narrowings narrowings(const Slot& slot);
bool is_passed_over(const Narrowings& known, std::size_t implementation, std::uint64_t number,
                    const Case& c);

}  // namespace indexfuzz
