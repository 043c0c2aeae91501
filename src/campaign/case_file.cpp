#include "campaign/case_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/bounded_read.h"
#include "campaign/failure.h"
#include "ops/case_text.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr int kSlots = 9;

}  // namespace

CaseFile read_case_file(const std::filesystem::path& path) {
  const BoundedText read = read_bounded(path, kMostCaseBytes, Links::kFollow);
  if (read.unread == Unread::kMissing) {
    throw SetupError(fmt::format("{}: no such file or folder", printable(path.string())));
  }
  if (read.unread != Unread::kNothing)
    throw SetupError(fmt::format("{}: {}", printable(path.string()), read.why));
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

CaseSession::CaseSession(const WorkerCommand& command, bool strict,
                         std::chrono::milliseconds timeout)
    : zygote_(command, kSlots),
      hello_(zygote_.hello([this] { return interrupted(); })),
      runner_(zygote_, 0, kSlots, strict, [this] { return interrupted(); }),
      timeout_(timeout) {}

std::vector<std::uint32_t> CaseSession::implementations_for(const Case& c) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < hello_.implementations.size(); ++i) {
    if (form_for(hello_.implementations[i], c) != nullptr) result.push_back(i);
  }
  return result;
}

ExamineOptions CaseSession::options(std::uint32_t implementation) const {
  ExamineOptions options;
  options.implementation = implementation;
  options.timeout = timeout_;
  return options;
}

Verdict CaseSession::run(const CaseFile& file, std::uint32_t implementation) {
  RunOptions options;
  options.implementation = implementation;
  options.timeout = timeout_;
  // One process takes only so many; the last ones are those that matter.
  const std::size_t count = std::min<std::size_t>(file.cases.size(), kMaxRunCases);
  std::vector<Case> cases(file.cases.end() - static_cast<std::ptrdiff_t>(count), file.cases.end());
  for (Case& c : cases) c.environment = file.judged().environment;
  const auto verdicts = runner_.run_in_one_process(cases, options);
  if (interrupted() || verdicts.empty()) throw Interruption();
  return verdicts.back();
}

Confirmation CaseSession::confirm_failure(const Case& c, const Verdict& verdict,
                                          std::uint32_t implementation) {
  const std::uint64_t key = key_of(c, verdict, hello_.implementations[implementation]);
  return confirm(runner_, {}, c, key, options(implementation));
}

Signature CaseSession::sign(const Case& c, const Confirmation& confirmation,
                            std::uint32_t implementation) {
  const TraitSet essential = essential_traits(runner_, c, confirmation, options(implementation));
  if (interrupted()) throw Interruption();
  return signature(c, confirmation.verdict, hello_.implementations[implementation].name, essential);
}

Case CaseSession::minimal(const Case& c, const Confirmation& confirmation,
                          std::uint32_t implementation) {
  return shrink_failure(runner_, c, confirmation, options(implementation));
}

}  // namespace indexfuzz
