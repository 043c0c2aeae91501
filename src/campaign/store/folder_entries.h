#pragma once
// What lies in a folder.

#include <filesystem>
#include <vector>

namespace indexfuzz {

/// The entries of a folder, sorted. None if it is no folder; what was read until then if reading it
/// ends with an error.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

}  // namespace indexfuzz
