#pragma once
// What `bisect` prints.

#include <span>
#include <string>

#include "campaign/programs/bisect.h"

namespace indexfuzz {

/// A row a version, in the order given.
std::string bisect_table(std::span<const TriedVersion> tried);

/// "first bad 2.9.0, last good 2.8.0", a line for each change; without any, a line that says what
/// all versions are. A further line if those that are wrong differ. `tried`: at least one, oldest
/// first.
std::string bisect_answer(std::span<const TriedVersion> tried);

}  // namespace indexfuzz
