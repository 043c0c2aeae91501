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

/// Throws SetupError: "FILE: error". A link is followed; only a regular file is read.
CaseFile read_case_file(const std::filesystem::path& path);
/// As read_case_file(), for the text of such a file.
CaseFile parse_case_file(const std::filesystem::path& path, std::string_view text);
/// The names of the operators of these files, each once.
std::vector<std::string> operators_of(const std::vector<CaseFile>& files);

}  // namespace indexfuzz
