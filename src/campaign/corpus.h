#pragma once
// The case files that a person names, singly or as folders. Folders may be damaged or hostile: what
// is no case file in them is set aside and counted, never fatal, and no link leads out of them.

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/case_file.h"

namespace indexfuzz {

<<<<<<< ours
/// Something in a folder that is not run.
struct SetAside {
  enum class Why : std::uint8_t {
    kLink,  ///< of any name: what it leads to may lie elsewhere
    kFifo,  ///< these, and the following: of what is named like a case file
    kSocket,
    kDevice,
    kFolder,
    kLarge,  ///< beyond kMostCaseBytes
    kUnreadable,
    kDamaged,  ///< its text is no case, or no legal one
    kDeep,     ///< a folder nested deeper than kMostNested
  } why;
  std::string file;  ///< printable
  std::string text;  ///< "is a link, not a file", "line 3: …"
=======
class Corpus {
 public:
  /// As many are kept of one operator.
  static constexpr std::uint64_t kMostCases = 2048;

  /// Of the operators of `targets`. `folder` is made when the first file is written.
  Corpus(SharedMemory& memory, std::filesystem::path folder, std::span<const Target> targets,
         const Limits& limits);

  /// Takes in what ends in .case below folder/<operator>/, of each operator, as far as it reads
  /// well: regular files only, none that is a link, none larger than a case. Counts the others.
  void load(const std::filesystem::path& folder);
  /// Takes in what a worker has found.
  void collect(Slot& slot);
  /// Writes files for what was found, `most` at a time. Throws StorageError.
  void save(std::size_t most);

  std::uint64_t count(std::uint16_t op) const;
  std::uint64_t found() const { return found_; }
  std::uint64_t set_aside() const { return set_aside_; }

 private:
  std::uint64_t take(const Case& c);

  SharedMemory& memory_;
  std::filesystem::path folder_;
  Limits limits_;
  std::map<std::uint16_t, std::uint64_t> counts_;  ///< by operator
  std::set<std::uint64_t> names_;
  std::deque<std::pair<std::uint64_t, Case>> unsaved_;
  std::uint64_t found_ = 0;
  std::uint64_t set_aside_ = 0;
>>>>>>> theirs
};

/// A named path that cannot be read.
struct NamedUnreadable {
  std::string file;  ///< printable
  std::string text;
};

struct Corpus {
  std::vector<CaseFile> files;  ///< folders in the order of their names
  std::vector<SetAside> aside;
  std::vector<NamedUnreadable> unreadable;
};

inline constexpr int kMostNested = 64;

/// Reads the files named, and those ending in .case in the folders named.
Corpus read_corpus(const std::vector<std::string>& paths);

/// "12 set aside: 3 links, 2 larger than 1 MiB, …"; empty where nothing was.
std::string in_words(const std::vector<SetAside>& aside);

}  // namespace indexfuzz
