#pragma once
// One-byte traps that note which instructions are reached, and take themselves away.

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace indexfuzz {

/// What firing traps write; both outlive every process that has the traps.
struct TrapNotes {
  std::span<std::atomic<std::uint8_t>> reached;  ///< parallel to the addresses; set to 1
  /// May be empty. Each trap that a process comes to sets one of them to a value of 1 to 128: they
  /// take turns, and with each round it is another value of the eight that libFuzzer tells apart.
  std::span<std::uint8_t> counters;
};

/// Puts a trap on the instructions that begin at the addresses, ascending, none of them an int3,
/// all within `code`, a mapping that is executable and not writable before and after. The first
/// thread that comes to a trap takes it away and goes on as if it had never been there; others may
/// come to it at the same time. Children made by fork inherit the traps, each its own copy. A
/// SIGTRAP from elsewhere goes to the handler that was there before; a thread that blocks SIGTRAP
/// dies of a trap. Once per process; the addresses stay the caller's until it ends. Only while no
/// other thread runs this code. Returns one sentence where it cannot be done, nothing then being
/// changed, else nothing.
std::string set_traps(std::span<std::uint8_t> code, std::vector<std::uint8_t*> addresses,
                      const TrapNotes& notes);

/// Takes away this process's traps where `reached` is set already, by whatever process: children
/// forked from now on do not stop there any more. Only while no other thread runs this code.
void retire_reached_traps();

}  // namespace indexfuzz
