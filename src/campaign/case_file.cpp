#include "campaign/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "campaign/failure.h"
#include "campaign/predecessors.h"
#include "ops/case_text.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kSlots = 9;
// A case file of more is no case file; and no reader should swallow a device.
constexpr std::uintmax_t kMostBytes = 64 << 20;

bool ends_process(const Verdict& verdict) {
  switch (verdict.kind) {
    case Kind::kCrash:
    case Kind::kHang:
    case Kind::kOom:
    case Kind::kDevice: return verdict.status == Status::kFinding;
    case Kind::kMemory: return verdict.status == Status::kFinding && verdict.signal != 0;
    case Kind::kInput:
    case Kind::kAccept:
    case Kind::kRefusal:
    case Kind::kAssert:
    case Kind::kMetadata:
    case Kind::kValue:
    case Kind::kNondeterminism:
    case Kind::kLeak:
    case Kind::kGradient: return false;
  }
  return false;
}

}  // namespace

CaseFile read_case_file(const fs::path& path) {
  std::error_code error;
  const auto size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  if (size > kMostBytes)
    throw SetupError(fmt::format("{}: is too large for a case file", path.string()));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw SetupError(fmt::format("{}: {}", path.string(), strerror(errno)));
  std::string text(size + (1 << 16), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw SetupError(fmt::format("{}: cannot be read", path.string()));
  ParsedCases parsed = parse_cases(text);
  if (!parsed.error.empty()) throw SetupError(fmt::format("{}: {}", path.string(), parsed.error));
  if (parsed.cases.empty()) throw SetupError(fmt::format("{}: holds no case", path.string()));
  return {path, std::move(parsed.cases)};
}

std::vector<CaseFile> read_case_files(const std::vector<std::string>& paths) {
  std::vector<CaseFile> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) throw SetupError(fmt::format("{}: no such file or folder", path));
    if (!fs::is_directory(path, error)) {
      files.push_back(read_case_file(path));
      continue;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      if (entry.path().extension() == ".case") found.push_back(entry.path());
    }
    if (found.empty()) throw SetupError(fmt::format("{}: holds no file that ends in .case", path));
    std::ranges::sort(found);
    for (const fs::path& file : found) files.push_back(read_case_file(file));
  }
  return files;
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

std::vector<Case> CaseSession::before(std::uint32_t implementation) const {
  const auto found = before_.find(implementation);
  return found == before_.end() ? std::vector<Case>() : found->second;
}

ExamineOptions CaseSession::options(std::uint32_t implementation, Kind kind) const {
  ExamineOptions options;
  options.implementation = implementation;
  options.timeout = timeout_;
  options.kind = kind;
  options.before = before(implementation);
  return options;
}

Verdict CaseSession::run(const CaseFile& file, std::uint32_t implementation) {
  RunOptions options;
  options.implementation = implementation;
  options.timeout = timeout_;
  std::vector<Case>& before = before_[implementation];
  before.assign(file.cases.begin(), file.cases.end() - 1);
  const auto verdict = runner_.run_sequence(file.cases, options);
  if (interrupted()) throw Interruption();
  if (verdict && verdict->status == Status::kFinding && !before.empty()) {
    // What fails alone needs nothing before it.
    const ImplementationInfo& judged = hello_.implementations[implementation];
    const auto alone = runner_.run_sequence({&file.judged(), 1}, options);
    if (alone && key_of(file.judged(), *alone, judged) == key_of(file.judged(), *verdict, judged))
      before.clear();
  }
  if (verdict) return *verdict;
  // A case before the last ended the process: it fails by itself.
  for (std::size_t count = 1; count < file.cases.size(); ++count) {
    const auto earlier = runner_.run_sequence(std::span(file.cases).first(count), options);
    if (interrupted()) throw Interruption();
    if (earlier && ends_process(*earlier)) return *earlier;
  }
  return finding(Kind::kCrash, -1, "a case before the last one ended the process");
}

Confirmation CaseSession::confirm_failure(const Case& c, const Verdict& verdict,
                                          std::uint32_t implementation) {
  const std::uint64_t key = key_of(c, verdict, hello_.implementations[implementation]);
  return confirm(runner_, {}, c, key, options(implementation, verdict.kind));
}

Signature CaseSession::sign(const Case& c, const Confirmation& confirmation,
                            std::uint32_t implementation) {
  const TraitSet essential = essential_traits(runner_, c, confirmation,
                                              options(implementation, confirmation.verdict.kind));
  if (interrupted()) throw Interruption();
  return signature(c, confirmation.verdict, hello_.implementations[implementation].name, essential,
                   before(implementation).size());
}

std::vector<Case> CaseSession::minimal(const Case& c, const Confirmation& confirmation,
                                       std::uint32_t implementation) {
  return shrink_sequence(runner_, c, confirmation,
                         options(implementation, confirmation.verdict.kind));
}

}  // namespace indexfuzz
