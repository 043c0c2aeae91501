#pragma once
// What the operands of one case are drawn around: a size, a shape, a dtype, a list of indices.

#include <cstdint>
#include <optional>

#include "case/limits.h"
#include "draw/choices.h"
#include "draw/operand.h"
#include "ops/operator.h"

namespace indexfuzz {

/// How large a case is.
enum class Size : std::uint8_t {
  kUsual,
  kLarge,        ///< some ten thousand elements, of which threads share out pieces
  kHuge,         ///< more elements than a GPU has threads
  kManyIndices,  ///< into few elements: more than a grid has rows, or 16 bits count
};

/// Index tensors, masks and gaps, as a list of them selects.
struct IndexList {
  std::size_t size = 0;
  std::uint32_t gaps = 0;  ///< bit i: entry i is None
  Dims theme;              ///< of the index tensors, which broadcast
};

struct Theme {
  Size size;
  Limits limits;  ///< of a case of that size
  Dims shape;     ///< of self, which others resemble
  Dtype dtype;
  /// In which all operands of self's rank lie in memory, each of them dense; none: as they like.
  std::optional<DimOrder> order;
  IndexList list;
  bool has_list;
  std::optional<std::size_t> dim;  ///< of self that the call works along
  bool few_indices;                ///< of a large case, often only self is large
};

/// Draws the attributes too. `c` has its operator, overload, variant and environment.
Theme draw_theme(Choices& choices, const Limits& widest, Case& c);

/// A shape that owes nothing to the theme's.
Dims draw_operand_shape(Choices& choices, Size size, int max_rank);

}  // namespace indexfuzz
