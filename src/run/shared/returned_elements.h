#pragma once
// What a call returned, for a person to look at.

#include <cstddef>
#include <cstdint>

#include "case/dims.h"
#include "case/dtype.h"

namespace indexfuzz {

/// The most bytes of elements that travel through shared memory; larger results are not shown.
inline constexpr std::size_t kReturnedBytes = 4096;

struct ReturnedElements {
  std::uint32_t bytes = 0;  ///< 0: nothing came back, or too much, or it cannot be read
  Dtype dtype{};
  std::uint8_t rank = 0;
  std::int64_t sizes[kMaxDims]{};
  std::byte elements[kReturnedBytes]{};  ///< dense, in logical order
};

}  // namespace indexfuzz
