#pragma once
// Case files as they are read.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"

namespace indexfuzz {

/// A .case file as read: at least one case, each legal or illegal by a rule that it names.
struct CaseFile {
  std::filesystem::path path;
  std::vector<Case> cases;  ///< run in order in one process; the last is judged
  const Case& judged() const { return cases.back(); }
};

/// A larger file is not taken for a case file.
inline constexpr std::size_t kMostCaseBytes = 1 << 20;

/// A case file, or why it is none.
struct ParsedCaseFile {
  CaseFile file;
  std::string error;  ///< does not name the file; empty if it is a case file
};

/// For the text of such a file.
ParsedCaseFile parse_case_file(const std::filesystem::path& path, std::string_view text);
/// A link is followed; only a regular file is read.
ParsedCaseFile load_case_file(const std::filesystem::path& path);
/// As load_case_file(). Throws SetupError: "FILE: error".
CaseFile read_case_file(const std::filesystem::path& path);
/// The names of the operators of these files, each once.
std::vector<std::string> operators_of(const std::vector<CaseFile>& files);

}  // namespace indexfuzz
