#pragma once
// Disk that is set aside for findings.

#include <filesystem>

namespace indexfuzz {

/// Owns a folder of files that only take space and names, so that both can be had back when the
/// disk is full.
class Reserve {
 public:
  /// One left by a killed process is taken over. Throws DiskFull, StorageError.
  explicit Reserve(std::filesystem::path folder);
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;
  ~Reserve();

  /// Frees it; false where that was done before.
  bool give_up();

  static constexpr std::int64_t kBytes = 16 << 20;

 private:
  std::filesystem::path folder_;
  bool held_ = true;
};

}  // namespace indexfuzz
