#include "campaign/store/folder_entries.h"

#include <algorithm>
#include <system_error>

namespace indexfuzz {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  // A range-based loop would throw what ends the reading.
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  std::ranges::sort(entries);
  return entries;
}

}  // namespace indexfuzz
