#pragma once
// The folder that a campaign leaves (--out): everything in it appears whole or not at all.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "campaign/store/durable.h"
#include "campaign/store/event_log.h"
#include "campaign/store/folder_lock.h"
#include "campaign/store/reserve.h"

namespace indexfuzz {

/// Owns DIR as long as it lives, and a reserve of its disk. What an earlier campaign left stays;
/// what it did not finish is removed. Every member that writes throws StorageError with one
/// sentence where neither the disk nor the reserve has room.
class Store {
 public:
  /// Creates DIR where it is missing. Throws SetupError where it cannot be made, another campaign
  /// runs in it, or it has no room for the reserve.
  explicit Store(std::filesystem::path folder);

  std::filesystem::path finding(const std::string& id) const { return folder_ / "findings" / id; }
  std::filesystem::path corpus(const std::string& op) const { return folder_ / "corpus" / op; }
  /// How many findings of earlier campaigns lie here.
  std::size_t earlier() const { return earlier_; }

  /// Empty, or one sentence that says what could be stored no more, or only on the reserve. It is
  /// time to end then.
  const std::string& trouble() const { return trouble_; }

  /// Puts findings/<id> with these files in place. False, and nothing is changed, where a finding
  /// of this id already lies there with files of all these names: a person may have added to it.
  bool save_finding(const std::string& id, const std::map<std::string, std::string>& files);
  /// Sets fields of the finding.json of a saved finding.
  void update_finding(const std::string& id, const nlohmann::ordered_json& fields);
  /// As DIR/summary.json, in place of the last one.
  void write_summary(const nlohmann::ordered_json& summary);
  /// Adds a line to DIR/log.jsonl, with the time.
  void log(const nlohmann::ordered_json& event);

  /// Keeps an input as DIR/corpus/<operator>/<name>. False where a file of that name holds
  /// something, the operator has kCorpusFiles already, or it cannot be written, which is `trouble`
  /// but no error: the reserve is not for inputs. `name` is plain: letters, digits, '.', '_' and
  /// '-', not beginning with '.'.
  bool save_corpus(const std::string& op, const std::string& name, std::string_view text,
                   Flush flush = Flush::kAtOnce);
  /// Moves an input DIR/corpus/… to DIR/quarantine/corpus/…: it must not run again without a
  /// person. False where it is no longer there.
  bool quarantine(const std::filesystem::path& input);

  static constexpr std::size_t kCorpusFiles = 10000;  ///< of one operator

 private:
  template <typename Write>
  void with_reserve(Write&& write);
  bool move_below_quarantine(const std::filesystem::path& from, const std::filesystem::path& name);

  std::filesystem::path folder_;
  FolderLock lock_;
  Reserve reserve_;
  EventLog log_;
  std::size_t earlier_ = 0;
  std::map<std::string, std::size_t> corpus_files_;  ///< by operator
  std::string trouble_;
};

}  // namespace indexfuzz
