#pragma once
// Shapes as kernels meet them: small, at the boundaries where kernels change path, rarely large.

#include "case/dims.h"
#include "draw/choices.h"

namespace indexfuzz {

inline constexpr std::int64_t kMiddleBudget = 32'768, kLargeBudget = 70'001;
/// How many elements an operand may have: 72 in four of five draws, 257 in nearly all others, a
/// page or more in one of forty, kMiddleBudget in one of five hundred, kLargeBudget in one of a
/// thousand, of 64 where threads are to share the work, which they do in pieces of some ten
/// thousand.
std::int64_t draw_budget(Choices& choices, bool threads = false);

/// Draws a shape with at most max_rank dimensions; empty in about one of forty cases, of 1,500 to
/// 32,768 elements in one of five hundred, beyond that in one of a thousand. Of so many elements
/// one in three has 4 to 6 dimensions, and no other more than 3.
Dims draw_shape(Choices& choices, int max_rank);

/// A size of 1,500 to 32,768.
std::int64_t draw_middle_size(Choices& choices);

/// A shape of 32,769 to some 70,000 elements.
Dims draw_large_shape(Choices& choices, int max_rank);

/// A shape of 131,073 to 1,500,000 elements: more than all threads of a GPU, so that a kernel with
/// a limited grid goes round again, and a scan has several levels.
Dims draw_huge_shape(Choices& choices, int max_rank);

/// A shape that has to do with `theme`: most sizes as there, some smaller, 1, or drawn anew.
Dims draw_related_shape(Choices& choices, const Dims& theme);

/// Makes (n) of () and () of (n), which most operators take for one another; of a higher rank
/// sometimes ().
void exchange_rank_0_and_1(Choices& choices, Dims& shape);

/// A shape that broadcasts with `theme`, mostly to it: sizes of 1, fewer dimensions, or one more.
Dims draw_broadcast_shape(Choices& choices, const Dims& theme);

/// A size from 1 to `most`, small or at a boundary.
std::int64_t draw_size(Choices& choices, std::int64_t most);

/// A row of a table that may have as many: often none or one of the first, sometimes from the end.
std::int64_t draw_row(Choices& choices);

}  // namespace indexfuzz
