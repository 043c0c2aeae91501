#pragma once
// log.jsonl.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace indexfuzz {

/// Appends events, one line of JSON each with its time. Once the file would grow beyond kLimit it
/// becomes log.old.jsonl, in place of the one before: the latest events are kept.
class EventLog {
 public:
  /// Goes on with an existing file; a line that a killed process left unfinished is cut off. Throws
  /// StorageError, as `add` does.
  explicit EventLog(const std::filesystem::path& folder);
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  ~EventLog();

  /// Appends the whole line or nothing.
  void add(const nlohmann::ordered_json& event);

  static constexpr std::int64_t kLimit = 8 << 20;

 private:
  void open_file();

  std::filesystem::path file_;
  std::filesystem::path old_;
  int fd_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace indexfuzz
