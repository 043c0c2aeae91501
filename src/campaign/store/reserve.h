#pragma once
// Disk space that is kept free for findings.

#include <filesystem>

namespace indexfuzz {

/// Owns a folder of files that only take space and inodes, to be given up when the disk is full.
class Reserve {
 public:
  /// Takes over the reserve that a killed process left. Throws DiskFull, StorageError.
  explicit Reserve(std::filesystem::path folder);
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;
  ~Reserve();

  /// Frees it; false if that was done before.
  bool give_up();

  static constexpr std::int64_t kBytes = 16 << 20;

 private:
  std::filesystem::path folder_;
  bool held_ = true;
};

}  // namespace indexfuzz
