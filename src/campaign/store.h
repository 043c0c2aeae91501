#pragma once
// The folder that a campaign leaves: everything in it appears whole or not at all.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace indexfuzz {

/// Writes beside the target, flushes to the disk, renames, flushes the folder. Throws StorageError.
void write_whole(const std::filesystem::path& file, std::string_view text);

/// Owns the lock on DIR. Every member that writes throws StorageError with one sentence.
class Store {
 public:
  /// Creates DIR where it is missing. Throws SetupError where it cannot be made or another campaign
  /// runs in it.
  explicit Store(std::filesystem::path folder);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path finding(const std::string& id) const { return folder_ / "findings" / id; }

  /// Puts findings/<id> with these files in place as a whole; one of an earlier campaign is
  /// replaced.
  void save_finding(const std::string& id, const std::map<std::string, std::string>& files);
  void write_summary(const nlohmann::ordered_json& summary);
  /// One line of log.jsonl. After kLogLimit bytes nothing more is kept, and the last line says so.
  void log(nlohmann::ordered_json event);

  static constexpr std::int64_t kLogLimit = 16 << 20;

 private:
  std::filesystem::path folder_;
  int lock_ = -1;
  int log_ = -1;
  std::int64_t logged_ = 0;
};

}  // namespace indexfuzz
