#pragma once

#include <cstdint>

namespace indexfuzz {

/// Whether an implementation runs a case: never, later, since it is like a known failure, or now.
enum class Taken : std::uint8_t { kNever, kLater, kNow };

}  // namespace indexfuzz
