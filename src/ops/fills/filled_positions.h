#pragma once
// Indices as their fill writes them, for what follows from their values before a call: the longest
// bag, how many elements a result has.

#include <vector>

#include "case/number.h"
#include "ops/operator.h"

namespace indexfuzz {

class FilledPositions {
 public:
  /// Writes the fill of an index operand into `bytes`, which must outlive this object. They are the
  /// caller's, so that no case needs new memory.
  FilledPositions(const Case& c, int operand, std::vector<std::byte>& bytes)
      : bytes_(bytes), wide_(at(c, operand).dtype == Dtype::kInt64) {
    const auto count = static_cast<std::size_t>(numel(at(c, operand).shape));
    bytes_.resize(count * item_size(at(c, operand).dtype));
    write_fill(c, operand, bytes_.data());
  }
  std::int64_t operator[](std::int64_t i) const {
    return wide_ ? load<std::int64_t>(&bytes_[static_cast<std::size_t>(i) * 8])
                 : load<std::int32_t>(&bytes_[static_cast<std::size_t>(i) * 4]);
  }

 private:
  static const Operand& at(const Case& c, int operand) {
    return c.operands[static_cast<std::size_t>(operand)];
  }

  std::vector<std::byte>& bytes_;
  bool wide_;
};

}  // namespace indexfuzz
