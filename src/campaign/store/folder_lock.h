#pragma once
// One campaign a folder.

#include <filesystem>

namespace indexfuzz {

/// Holds DIR/.lock as long as it lives. The lock goes with the process, however that ends.
class FolderLock {
 public:
  /// Throws SetupError: another process has it, with its id, or the folder cannot be locked.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int fd_ = -1;
};

/// The process that holds the lock on a folder; 0 for none.
int lock_owner(const std::filesystem::path& folder);

}  // namespace indexfuzz
