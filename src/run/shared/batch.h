#pragma once

#include <cstdint>

namespace indexfuzz {

/// Checks that are too slow to run after every case run once per this many cases.
inline constexpr std::uint64_t kBatch = 256;

}  // namespace indexfuzz
