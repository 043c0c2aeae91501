#pragma once
// The generator: a legal case from a stream of choices.

#include <cstdint>
#include <span>

#include "case/case.h"
#include "case/limits.h"
#include "draw/choices.h"
#include "draw/target.h"

namespace indexfuzz {

/// Draws a legal case of one of the targets. About one in twenty names a rule to break, if `limits`
/// allow illegal cases. `c` keeps its environment and GPU settings, which influence the draw:
/// with several threads more cases are large; on a side stream operands may be on the host. With a
/// contract nearly all cases lie within it; if it demands that others are refused, a few are drawn.
void draw(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c);

/// How many consecutive cases share one operator: code that is still in the caches runs twice as
/// fast.
inline constexpr std::uint64_t kOperatorTurn = 256;

/// In every kTurnsPerTwins-th turn, each second case is a twin of the one before it: the same
/// except for the values of its operands. This exposes kernels that cache results by shape or
/// address.
inline constexpr std::uint64_t kTurnsPerTwins = 16;
constexpr bool is_of_twins(std::uint64_t number) {
  return number / kOperatorTurn % kTurnsPerTwins == kTurnsPerTwins - 1;
}

/// Draws case `number` of a worker, a function of the arguments alone. `targets` must be grouped by
/// operator; all operators are equally likely.
void draw_case(std::uint64_t seed, std::uint32_t worker, std::uint64_t number,
               std::span<const Target> targets, const Limits& limits, Case& c);

}  // namespace indexfuzz
