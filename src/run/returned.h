#pragma once
// What a call returned, for a person to look at. Torch-free: both sides include it.

#include <cstddef>
#include <cstdint>

#include "case/dims.h"
#include "case/dtype.h"
#include "memory/observation.h"

namespace indexfuzz {

/// Elements that travel through shared memory; more are not shown.
inline constexpr std::size_t kReturnedBytes = 4096;

struct ReturnedElements {
  std::uint32_t bytes = 0;  ///< 0: nothing came back, too much, or what cannot be read
  Dtype dtype{};
  std::uint8_t rank = 0;
  std::int64_t sizes[kMaxDims]{};
  std::byte elements[kReturnedBytes]{};  ///< dense, in logical order
};

/// Keeps the result of a call, or the operand that it wrote, as long as that lies in memory.
void keep_returned(const Observation& observation, ReturnedElements& returned);

}  // namespace indexfuzz
