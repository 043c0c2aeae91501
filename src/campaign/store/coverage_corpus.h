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
#include "run/protocol.h"

namespace indexfuzz {

class CoverageCorpus {
 public:
  /// As many are kept of one operator.
  static constexpr std::uint64_t kMostCases = 2048;

  /// Of the operators of `targets`.
  CoverageCorpus(SharedMemory& memory, std::span<const Target> targets, const Limits& limits);

  /// Whose a folder is: what ends a worker is taken out of the campaign's own alone.
  enum class Folder : std::uint8_t { kShipped, kOwn };
  /// Takes in what ends in .case below folder/<operator>/, of each operator, as far as it reads
  /// well: regular files only, none that is a link, none larger than a case. Counts the others.
  void load(const std::filesystem::path& folder, Folder whose);
  /// Takes in what a worker has found.
  void collect(Slot& slot);
  /// Hands over what was found to be kept, `most` inputs at a time; none to a store in trouble.
  /// What a worker died of since is not kept, and what was kept of that goes to the quarantine.
  void save(Store& store, std::size_t most);

  std::uint64_t count(std::uint16_t op) const;
  std::uint64_t found() const { return found_; }
  std::uint64_t set_aside() const { return set_aside_; }

 private:
  struct Input {
    std::uint64_t name;
    std::uint32_t entry;  ///< of the pool
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
  std::deque<std::pair<Input, Case>> unsaved_;
  std::vector<File> files_;  ///< of this campaign
  std::uint64_t found_ = 0;
  std::uint64_t set_aside_ = 0;
};

}  // namespace indexfuzz
