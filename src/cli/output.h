#pragma once

#include <string>

namespace indexfuzz {

/// Writes the file as a whole; a link is followed. If `file` is empty or "-", writes to stdout.
/// Throws StorageError.
void write_output(const std::string& file, const std::string& text);

}  // namespace indexfuzz
