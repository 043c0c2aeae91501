#pragma once
// The folder that a campaign leaves (--out): everything in it appears whole or not at all.

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "campaign/store/durable.h"
#include "campaign/store/event_log.h"
#include "campaign/store/folder_lock.h"
#include "campaign/store/reserve.h"

namespace indexfuzz {

/// Owns DIR while it lives, and a reserve of disk space. What earlier campaigns left is kept,
/// except unfinished files. Every member that writes, except save_corpus(), throws StorageError
/// with one sentence if neither the disk nor the reserve has room.
class Store {
 public:
  /// Creates DIR if it is missing. Throws SetupError if that fails or another campaign runs in it,
  /// StorageError if there is no room for the reserve.
  explicit Store(std::filesystem::path folder);

  std::filesystem::path finding(const std::string& id) const { return folder_ / "findings" / id; }
  std::filesystem::path corpus(const std::string& op) const { return folder_ / "corpus" / op; }
  /// How many findings of earlier campaigns lie here.
  std::size_t earlier() const { return earlier_; }

  /// Empty, or one sentence on what could not be stored, or only in the reserve: the campaign
  /// should end then.
  const std::string& trouble() const { return trouble_; }

  /// Stores findings/<id> with these files. Returns false and changes nothing if all of these files
  /// are there already, none of them empty: a person may have added to them. A damaged finding of
  /// this id goes to the quarantine.
  bool save_finding(const std::string& id, const std::map<std::string, std::string>& files);
  /// Sets fields of the finding.json of a saved finding; does nothing if it is gone or damaged.
  void update_finding(const std::string& id, const nlohmann::ordered_json& fields);
  /// Writes on top of the issue.md of a saved finding that it is withdrawn, and why; if `why`, one
  /// line, is empty, that it is not.
  void mark_withdrawn(const std::string& id, const std::string& why);
  /// Keeps the contract of the campaign as DIR/contract.toml: its findings need it to run again.
  void write_contract(std::string_view text);
  /// Replaces DIR/summary.json.
  void write_summary(const nlohmann::ordered_json& summary);
  /// Adds a line to DIR/log.jsonl, with the time.
  void log(const nlohmann::ordered_json& event);

  /// Stores an input as DIR/corpus/<operator>/<name>. Returns false if a file of that name is not
  /// empty, the operator has kCorpusFiles already, or it cannot be written. In the last case sets
  /// trouble() but does not throw: the reserve is not for inputs. `name` is plain: letters, digits,
  /// '.', '_' and '-', not beginning with '.'.
  bool save_corpus(const std::string& op, const std::string& name, std::string_view text,
                   Flush flush = Flush::kAtOnce);
  /// Moves an input DIR/corpus/… to DIR/quarantine/corpus/…: it must not run again without a
  /// person. Returns false if it is gone or cannot be moved.
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
