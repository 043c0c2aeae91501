#include "campaign/store/case_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "case/strings/printable.h"
#include "ops/operator.h"
#include "ops/text/case_text.h"

namespace indexfuzz {

CaseFile read_case_file(const std::filesystem::path& path) {
  const BoundedText read = read_bounded(path, kMostCaseBytes, Links::kFollow);
  if (read.unread == Unread::kMissing) {
    throw SetupError(fmt::format("{}: no such file or folder", printable(path.string())));
  }
  if (!read.is_read()) throw SetupError(fmt::format("{}: {}", printable(path.string()), read.why));
  return parse_case_file(path, read.text);
}

CaseFile parse_case_file(const std::filesystem::path& path, std::string_view text) {
  ParsedCases parsed = parse_cases(text);
  if (parsed.error.empty() && parsed.cases.empty()) parsed.error = "holds no case";
  if (!parsed.error.empty()) {
    throw SetupError(fmt::format("{}: {}", printable(path.string()), parsed.error));
  }
  return {path, std::move(parsed.cases)};
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
