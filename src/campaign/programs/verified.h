#pragma once
// What a finding's stand-alone program showed of it.

#include <cstdint>

namespace indexfuzz {

/// What a stand-alone program showed.
enum class Verified : std::uint8_t {
  kPending,     ///< it was not run, or not in time
  kYes,         ///< it exits 1
  kRight,       ///< it exits 0: nothing is wrong without indexfuzz
  kOther,       ///< it ends otherwise, or not in time
  kCannotTell,  ///< it exits 125: what would show it cannot be seen from there
  kUnknown,     ///< this machine cannot run it
};

}  // namespace indexfuzz
