#pragma once
// The theme of a case, which all its operands are drawn around: a size, a shape, a dtype, a list of
// indices.

#include <cstdint>
#include <optional>

#include "case/limits.h"
#include "draw/choices.h"
#include "draw/operand.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// How large a case is.
enum class CaseSize : std::uint8_t {
  kUsual,
  kLarge,        ///< tens of thousands of elements, enough for several threads to share the work
  kHuge,         ///< more elements than a GPU has threads
  kManyIndices,  ///< into few elements: often more indices than 65,535, the most rows of a grid
};

/// A list of values, or of index tensors, masks and gaps.
struct DrawnList {
  std::size_t size = 0;
  std::uint32_t gaps = 0;  ///< bit i: entry i is None
  Dims theme;              ///< the shape that the index tensors are drawn around; they broadcast
};

struct Theme {
  CaseSize size;
  Limits limits;  ///< for a case of that size
  Dims shape;     ///< self's, which the shapes of other operands resemble
  Dtype dtype;
  /// The memory order shared by all operands of self's rank, each dense; nullopt: each operand
  /// draws its own layout.
  std::optional<DimOrder> order;
  DrawnList list;
  bool has_index_list;
  std::optional<std::size_t> dim;  ///< self's dimension that the call works along
  bool few_indices;                ///< self is large, but the indices are few
};

/// Draws the theme of `c`, whose operator, overload, variant and environment are set; also draws
/// its attributes.
Theme draw_theme(Choices& choices, const Limits& widest, Case& c);

/// A shape drawn independently of the theme's.
Dims draw_operand_shape(Choices& choices, CaseSize size, int max_rank);

}  // namespace indexfuzz
