#pragma once
// One-byte traps that note which instructions are reached, and take themselves away.

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace indexfuzz {

/// What a trap writes when it fires; both outlive every process that has the traps.
struct TrapNotes {
  std::span<std::atomic<std::uint8_t>> reached;  ///< parallel to the addresses; set to 1
  /// May be empty. Each trap that a process reaches sets one of them, in turn, to a value from 1 to
  /// 128; in each round over the counters it is the next of the eight values that libFuzzer
  /// distinguishes.
  std::span<std::uint8_t> counters;
};

/// Puts a trap on the instructions that begin at the addresses: ascending, none of them an int3,
/// all within `code`, a mapping that is executable and not writable, before and after. The first
/// thread that reaches a trap removes it and goes on as if it had never been there; others may
/// reach it at the same time. Children made by fork inherit the traps, each its own copy. A SIGTRAP
/// from elsewhere goes to the handler that was there before; a thread that blocks SIGTRAP dies of a
/// trap. Once per process; the code must stay where it is until the process ends. Only while no
/// other thread runs this code. Returns one sentence if it cannot be done, and changes nothing
/// then; else nothing.
std::string set_traps(std::span<std::uint8_t> code, std::vector<std::uint8_t*> addresses,
                      const TrapNotes& notes);

/// Removes this process's traps whose `reached` is set already, by whatever process: children
/// forked from now on do not stop there any more. Only while no other thread runs this code.
void retire_reached_traps();

}  // namespace indexfuzz
