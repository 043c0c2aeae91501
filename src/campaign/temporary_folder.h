#pragma once

#include <filesystem>
#include <string>

namespace indexfuzz {

/// Owns a new folder where temporary files go (TMPDIR, else /tmp), and removes it with all that it
/// holds.
class TemporaryFolder {
 public:
  /// `name`: the prefix of the folder's name. Throws SetupError.
  explicit TemporaryFolder(const std::string& name);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace indexfuzz
