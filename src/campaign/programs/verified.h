#pragma once

#include <cstdint>

namespace indexfuzz {

/// What a finding's stand-alone program showed of it.
enum class Verified : std::uint8_t {
  kNotRun,         ///< or not in time
  kFails,          ///< it exits 1, as it should
  kPasses,         ///< it exits 0: nothing is wrong without indexfuzz
  kEndsOtherwise,  ///< or does not end in time
  kCannotTell,     ///< it exits 125: what would show it cannot be seen from there
  kCannotRun,      ///< on this machine
};

}  // namespace indexfuzz
