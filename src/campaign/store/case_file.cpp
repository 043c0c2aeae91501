#include "campaign/store/case_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "case/strings/printable.h"
#include "ops/definition/operator.h"
#include "ops/text/case_text.h"

namespace indexfuzz {

ParsedCaseFile parse_case_file(const std::filesystem::path& path, std::string_view text) {
  ParsedCases parsed = parse_cases(text);
  if (parsed.error.empty() && parsed.cases.empty()) parsed.error = "holds no case";
  return {{path, std::move(parsed.cases)}, std::move(parsed.error)};
}

ParsedCaseFile load_case_file(const std::filesystem::path& path) {
  const BoundedText read = read_bounded(path, kMostCaseBytes, Links::kFollow);
  if (read.unread == Unread::kMissing) return {{path, {}}, "no such file or folder"};
  if (!read.is_read()) return {{path, {}}, read.why};
  return parse_case_file(path, read.text);
}

CaseFile read_case_file(const std::filesystem::path& path) {
  ParsedCaseFile parsed = load_case_file(path);
  if (!parsed.error.empty())
    throw SetupError(fmt::format("{}: {}", printable(path.string()), parsed.error));
  return std::move(parsed.file);
}

std::vector<std::string> operators_of(const std::vector<CaseFile>& files) {
  std::vector<std::string> names;
  for (const CaseFile& file : files) {
    for (const Case& c : file.cases) {
      const std::string name(operator_of(c).name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace indexfuzz
