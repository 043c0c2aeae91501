#pragma once
// Inputs of the coverage engine that are worth keeping: in shared memory for its workers, and as
// text files in DIR/corpus/<operator>/ for later campaigns and for people.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "campaign/store/store.h"
#include "case/limits.h"
#include "draw/draw.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// The inputs of one campaign. Throws nothing that a damaged or missing file could cause; what
/// cannot be saved is the trouble of the Store.
class CoverageCorpus {
 public:
  /// The most inputs that are kept of one operator.
  static constexpr std::uint64_t kMostCases = 2048;

  /// Keeps inputs of the operators of `targets` only.
  CoverageCorpus(SharedMemory& memory, std::span<const Target> targets, const Limits& limits);

  /// Whose folder it is. An input that ends a worker is removed from the campaign's own folder
  /// only.
  enum class Folder : std::uint8_t { kShipped, kOwn };
  /// Takes in the files folder/<operator>/*.case of each operator that are legal inputs: regular
  /// files of at most 64 KiB, no links. All others are set aside and counted by set_aside().
  void load(const std::filesystem::path& folder, Folder whose);
  /// Takes in the inputs that a worker has found.
  void collect(Slot& slot);
  /// Saves at most `most` of the inputs found, none once the store is in trouble. An input that
  /// ended a worker is not saved; if it lies in the campaign's own folder, it goes to the
  /// quarantine.
  void save(Store& store, std::size_t most);

  std::uint64_t count(std::uint16_t op) const;
  std::uint64_t found() const { return found_; }
  std::uint64_t set_aside() const { return set_aside_; }

 private:
  struct Input {
    std::uint64_t name;
    std::uint32_t entry;  ///< index into the pool
  };
  struct File {
    std::uint32_t entry;
    std::filesystem::path path;
  };
  std::optional<Input> take(const Case& c);
  bool is_deadly(std::uint32_t entry) const;
  void set_deadly_apart(Store& store);

  SharedMemory& memory_;
  Limits limits_;
  std::map<std::uint16_t, std::uint64_t> counts_;  ///< by operator
  std::set<std::uint64_t> names_;
  Pooled pooled_;
  std::deque<std::pair<Input, Case>> unsaved_;
  std::vector<File> files_;  ///< in the campaign's own folder
  std::uint64_t found_ = 0;
  std::uint64_t set_aside_ = 0;
};

}  // namespace indexfuzz
