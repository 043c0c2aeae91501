#pragma once
// Draws sizes and shapes: small ones, ones at the boundaries where kernels switch to another code
// path, rarely large ones.

#include "case/dims.h"
#include "draw/choices.h"

namespace indexfuzz {

inline constexpr std::int64_t kMiddleBudget = 32'768, kLargeBudget = 70'001;
/// How many elements an operand may have, by share of the draws: 72 in four of five, 257 in nearly
/// all others, 1,100 or more in one of 40, kMiddleBudget in one of 500, kLargeBudget in one of
/// 1,000. With `threads`, kLargeBudget in one of 64: work is shared among threads only in pieces of
/// about ten thousand elements.
std::int64_t draw_budget(Choices& choices, bool threads = false);

/// A shape with at most max_rank dimensions. About one in 40 has no elements, one in 500 has 1,500
/// to 32,768 and one in 1,000 has more. A third of the shapes of the last two kinds has 4 to 6
/// dimensions, the others have at most 3.
Dims draw_shape(Choices& choices, int max_rank);

/// A size of 1,500 to 32,768.
std::int64_t draw_middle_size(Choices& choices);

/// A shape of 32,769 to about 70,000 elements.
Dims draw_large_shape(Choices& choices, int max_rank);

/// A shape of 131,073 to about 1,500,000 elements: mostly more than a GPU has threads, so that a
/// grid-stride loop runs more than once and a scan has several levels.
Dims draw_huge_shape(Choices& choices, int max_rank);

/// A shape related to `theme`: most sizes are the same, some are smaller, 1, or drawn anew.
Dims draw_related_shape(Choices& choices, const Dims& theme);

/// Turns () into (n), (n) into (), and sometimes a shape of a higher rank into (). Most operators
/// accept a 0-dimensional tensor in place of a 1-dimensional one and the reverse.
void exchange_rank_0_and_1(Choices& choices, Dims& shape);

/// A shape that broadcasts with `theme`, mostly to it: the same, with sizes of 1, with fewer
/// dimensions, or with one more.
Dims draw_broadcast_shape(Choices& choices, const Dims& theme);

/// A size from 1 to `most`, small or at a boundary.
std::int64_t draw_size(Choices& choices, std::int64_t most);

}  // namespace indexfuzz
