#pragma once

#include <cstdint>

namespace indexfuzz {

/// After as many cases, what is too slow to be looked at after each of them is looked at.
inline constexpr std::uint64_t kBatch = 256;

}  // namespace indexfuzz
