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

/// What was under way when a process was killed has such a name.
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
  kLater,   ///< when the system comes to it: a power cut may tear what is under its name already
};

/// Writes beside the target, flushes to the disk, renames, flushes the folder. A file of that name
/// is replaced. Throws StorageError, and leaves nothing behind then.
void write_whole(const std::filesystem::path& file, std::string_view text,
                 Flush flush = Flush::kAtOnce);

/// The same for a folder that does not exist or is empty, with these files in it.
void write_whole_folder(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& files);

/// Flushes the names in a folder to the disk. Throws StorageError.
void sync_folder(const std::filesystem::path& folder);

/// Removes what earlier processes did not finish in a folder; below it nothing. Nobody may be
/// writing there.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace indexfuzz
