#pragma once

#include <cstdint>

namespace indexfuzz {

/// Whether an implementation runs a case now, later (it is steered for now,
/// run/session/steering.h), or never.
enum class Taken : std::uint8_t { kNever, kLater, kNow };

}  // namespace indexfuzz
