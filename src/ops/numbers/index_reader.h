#pragma once

#include <cstddef>
#include <cstdint>

#include "case/number.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Reads int32 or int64 indices, which it borrows.
class IndexReader {
 public:
  /// `dtype`: of kIndexDtypes.
  IndexReader(const std::byte* data, std::int64_t count, Dtype dtype)
      : data_(data), count_(count), wide_(dtype == Dtype::kInt64) {}
  /// The indices of an operand.
  IndexReader(const OracleInput& input, int operand)
      : IndexReader(input.operands[static_cast<std::size_t>(operand)].data,
                    input.operands[static_cast<std::size_t>(operand)].count,
                    operand_at(input.c, operand).dtype) {}

  std::int64_t count() const { return count_; }
  std::int64_t operator[](std::int64_t i) const {
    return wide_ ? load<std::int64_t>(data_ + i * 8) : load<std::int32_t>(data_ + i * 4);
  }

 private:
  const std::byte* data_;
  std::int64_t count_;
  bool wide_;
};

}  // namespace indexfuzz
