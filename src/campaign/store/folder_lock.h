#pragma once
// At most one campaign runs in a folder.

#include <filesystem>

namespace indexfuzz {

/// Holds the lock on DIR/.lock while it lives, at most until the process ends, however it ends.
class FolderLock {
 public:
  /// Throws SetupError if another process holds the lock (its id is in the message), or the folder
  /// cannot be locked.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int fd_ = -1;
};

/// The process that holds the lock on a folder; 0 if none does.
int lock_owner(const std::filesystem::path& folder);

}  // namespace indexfuzz
