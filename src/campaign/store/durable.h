#pragma once
// Files and folders that appear under their names whole and safely on the disk, or not at all.
// Everything is written under a temporary name in the same folder first.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "campaign/failure.h"

namespace indexfuzz {

/// The prefix of temporary names, under which a killed process leaves what it had under way.
inline constexpr std::string_view kTemporaryPrefix = ".tmp-";

/// No space, no quota, or a limit on the size of files.
struct DiskFull : StorageError {
  using StorageError::StorageError;
};

/// Throws the StorageError, or DiskFull, that `errno` stands for: "cannot store FILE: …".
[[noreturn]] void fail_to_store(const std::filesystem::path& file);

/// Writes all of a text. Throws StorageError.
void write_all(int fd, std::string_view text, const std::filesystem::path& file);

/// When what was written is flushed to the disk.
enum class Flush : std::uint8_t {
  kAtOnce,  ///< before the call returns
  kLater,   ///< when the system gets to it: a power cut may leave a torn file under the name
};

/// Writes beside the target, flushes to the disk, renames, flushes the folder. A file of that name
/// is replaced. Throws StorageError and then leaves no temporary file behind.
void write_whole(const std::filesystem::path& file, std::string_view text,
                 Flush flush = Flush::kAtOnce);

/// As write_whole(), for a folder with these files; it must be empty or not exist yet.
void write_whole_folder(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& files);

/// Flushes the names in a folder to the disk. Throws StorageError.
void sync_folder(const std::filesystem::path& folder);

/// Removes what earlier processes left unfinished in a folder, but not in its subfolders. No
/// process may be writing there.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace indexfuzz
