#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "campaign/case_file.h"
#include "campaign/failure.h"
#include "campaign/outcome.h"
#include "campaign/store.h"
#include "cli/commands.h"
#include "cli/junit.h"
#include "cli/quantity.h"
#include "cli/under_test.h"

namespace indexfuzz {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  indexfuzz replay corpus/\n"
    "  indexfuzz replay findings/3f2a/minimal.case --load ./libmine.so --impl mine::gather\n"
    "Runs the cases of each file in order in one process and judges the last. A failure that the "
    "ledger lists\n"
    "passes as known; one that is listed for the file and does not fail any more is reported as "
    "fixed.\n"
    "Exit codes: 0 nothing unexpected, 77 a new failure or a fixed one, 3 nothing was judged, 1 "
    "set-up.";

struct Asked {
  std::vector<std::string> paths;
  UnderTest under_test;
  LedgerChoice ledger;
  std::string junit;
};

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return !a.empty() && std::filesystem::equivalent(a, b, error);
}

class Replay {
 public:
  Replay(CaseSession& session, std::vector<LedgerEntry> ledger)
      : session_(session), ledger_(std::move(ledger)) {}

  void file(const CaseFile& file);
  const std::vector<Replayed>& results() const { return results_; }

 private:
  Replayed judge(const CaseFile& file, std::uint32_t implementation);
  const LedgerEntry* listed(const CaseFile& file, const std::string& implementation) const;

  CaseSession& session_;
  std::vector<LedgerEntry> ledger_;
  std::vector<Replayed> results_;
};

/// The entry that says that this file fails on this implementation.
const LedgerEntry* Replay::listed(const CaseFile& file, const std::string& implementation) const {
  for (const LedgerEntry& entry : ledger_) {
    if (!same_file(entry.case_file, file.path)) continue;
    if (!applies(entry, session_.hello().torch, device_of(implementation))) continue;
    if (entry.signature.find(implementation) != std::string::npos) return &entry;
  }
  return nullptr;
}

Replayed Replay::judge(const CaseFile& file, std::uint32_t implementation) {
  const std::string& name = session_.hello().implementations[implementation].name;
  Replayed result{file.path.string(), name, Replayed::Outcome::kPassed, ""};
  const Verdict verdict = session_.run(file, implementation);
  const LedgerEntry* expected = listed(file, name);
  switch (verdict.status) {
    case Status::kAgreed: break;
    case Status::kVacuous: break;
    case Status::kRefused:
    case Status::kUnsupported:
      result.outcome = Replayed::Outcome::kSkipped;
      result.text = verdict.message.data();
      return result;
    case Status::kFinding: {
      Confirmation once;
      once.failed = once.runs = 1;
      once.verdict = verdict;
      const Signature signature = session_.sign(file.judged(), once, implementation);
      const LedgerEntry* known =
          find_entry(ledger_, signature.text, session_.hello().torch, device_of(name));
      result.outcome = known != nullptr ? Replayed::Outcome::kKnown : Replayed::Outcome::kFailed;
      result.text =
          known != nullptr ? fmt::format("{}; {}", signature.text, known->reason) : signature.text;
      const std::string message = verdict.message.data();
      if (known == nullptr && signature.text.find(message) == std::string::npos) {
        result.text += fmt::format(" ({})", message);
      }
      return result;
    }
  }
  if (expected != nullptr) {
    result.outcome = Replayed::Outcome::kFixed;
    result.text = fmt::format("does not fail any more: {}", expected->signature);
  }
  return result;
}

void Replay::file(const CaseFile& file) {
  const auto implementations = session_.implementations_for(file.judged());
  if (implementations.empty()) {
    results_.push_back(
        {file.path.string(), "", Replayed::Outcome::kSkipped, "no implementation has this form"});
    fmt::print("skipped  {}: {}\n", file.path.string(), results_.back().text);
  }
  for (const std::uint32_t i : implementations) {
    results_.push_back(judge(file, i));
    const Replayed& result = results_.back();
    fmt::print("{:<8} {} on {}{}\n", name(result.outcome), result.file, result.implementation,
               result.text.empty() ? "" : ": " + result.text);
  }
  std::fflush(stdout);
}

int replay(const Asked& asked) {
  const auto timeout = parse_duration(asked.under_test.timeout);
  const auto ledger = asked.ledger.read();
  const auto files = read_case_files(asked.paths);
  CaseSession session(asked.under_test.worker(operators_of(files)), asked.under_test.strict,
                      timeout);
  Replay replay(session, ledger);
  std::vector<Reason> reasons;
  try {
    for (const CaseFile& file : files) replay.file(file);
  } catch (const Interruption&) {
    reasons.push_back(Reason::kInterrupted);
  }
  const auto count = [&](Replayed::Outcome outcome) {
    return std::ranges::count(replay.results(), outcome, &Replayed::outcome);
  };
  if (count(Replayed::Outcome::kFailed) > 0) reasons.push_back(Reason::kNew);
  if (count(Replayed::Outcome::kFixed) > 0) reasons.push_back(Reason::kFixed);
  if (static_cast<std::size_t>(count(Replayed::Outcome::kSkipped)) == replay.results().size()) {
    reasons.push_back(Reason::kInconclusive);
  }
  fmt::print("{} files: {} passed, {} known, {} failed, {} fixed, {} skipped\n", files.size(),
             count(Replayed::Outcome::kPassed), count(Replayed::Outcome::kKnown),
             count(Replayed::Outcome::kFailed), count(Replayed::Outcome::kFixed),
             count(Replayed::Outcome::kSkipped));
  if (!asked.junit.empty()) write_whole(asked.junit, junit_text(replay.results()));
  return exit_code(reasons);
}

}  // namespace

void add_replay(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand("replay", "run case files again");
  auto asked = std::make_shared<Asked>();
  command->add_option("PATH", asked->paths, "case files, and folders of them")->required();
  asked->under_test.add_to(*command);
  asked->ledger.add_to(*command);
  command->add_option("--junit", asked->junit, "a report for CI systems")->type_name("FILE");
  command->footer(kExamples);
  command->callback([asked, &run] { run = [asked] { return replay(*asked); }; });
}

}  // namespace indexfuzz
