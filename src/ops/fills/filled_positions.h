#pragma once
// Indices as their fill writes them, for what follows from their values before a call: the longest
// bag, how many elements a result has.

#include <vector>

#include "ops/fills/write_fill.h"
#include "ops/numbers/index_reader.h"

namespace indexfuzz {

/// Writes the fill of an index operand into `bytes`, which the reader borrows. They are the
/// caller's, so that no case needs new memory.
inline IndexReader filled_positions(const Case& c, int operand, std::vector<std::byte>& bytes) {
  const Operand& index = operand_at(c, operand);
  const std::int64_t count = numel(index.shape);
  bytes.resize(static_cast<std::size_t>(count) * item_size(index.dtype));
  write_fill(c, operand, bytes.data());
  return {bytes.data(), count, index.dtype};
}

}  // namespace indexfuzz
