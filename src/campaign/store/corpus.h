#pragma once
// The case files that a person names, singly or as folders. Folders may be damaged or hostile:
// anything in them that is no legal case file is set aside, which means listed but not run, and is
// never fatal. No link in them is followed.

#include <string>
#include <vector>

#include "campaign/store/bounded_read.h"
#include "campaign/store/case_file.h"

namespace indexfuzz {

/// Something in a folder that is not run.
struct SetAside {
  /// kLink: of any name, since what it leads to may lie elsewhere; kFifo to kLarge: only if named
  /// like a case file; kDamaged: its text is no case, or no legal one; kDeep: a folder nested
  /// deeper than kMostNested.
  Unread why;
  std::string file;  ///< printable
  std::string text;  ///< "is a link, not a file", "line 3: …"
};

/// A named path that cannot be read.
struct NamedUnreadable {
  std::string file;  ///< printable
  std::string text;
};

/// What lies below the named paths. Filled by read_corpus(), for which nothing is an error: what it
/// could not read is in it, too.
struct Corpus {
  std::vector<CaseFile> files;  ///< those of a folder in the order of their names
  std::vector<SetAside> aside;
  std::vector<NamedUnreadable> unreadable;
};

inline constexpr int kMostNested = 64;

/// Reads the files named, and those ending in .case in the folders named.
Corpus read_corpus(const std::vector<std::string>& paths);

/// "12 set aside: 3 links, 2 larger than 1 MiB, …"; empty if nothing was.
std::string in_words(const std::vector<SetAside>& aside);

}  // namespace indexfuzz
