#pragma once
// The generator: a legal case from a stream of choices.

#include <cstdint>
#include <span>

#include "case/case.h"
#include "case/limits.h"
#include "draw/choices.h"
#include "draw/target.h"

namespace indexfuzz {

/// Draws a legal case of one of the targets. About one in twenty carries `breaks` where limits
/// allow. The environment and the settings on GPUs are kept: with several threads, more cases are
/// large; on a busy stream, operands may be on the host.
void draw(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& out);

/// As many cases in a row are of one operator: code that is in the caches runs at twice the speed.
inline constexpr std::uint64_t kOperatorTurn = 256;

/// In one turn of so many each second case is the twin of the one before it: alike in all but what
/// its operands hold. A kernel that keeps something by shapes or addresses is called with both in a
/// row.
inline constexpr std::uint64_t kTurnsPerTwins = 16;
constexpr bool is_of_twins(std::uint64_t number) {
  return number / kOperatorTurn % kTurnsPerTwins == kTurnsPerTwins - 1;
}

/// Case number i of a worker, a function of its arguments alone. `targets` are grouped by operator;
/// each operator comes as often as any other.
void draw_case(std::uint64_t seed, std::uint32_t worker, std::uint64_t number,
               std::span<const Target> targets, const Limits& limits, Case& out);

}  // namespace indexfuzz
