#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "campaign/exit_code.h"
#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "campaign/store/corpus.h"
#include "campaign/store/ledger.h"
#include "case/strings/counted.h"
#include "case/strings/printable.h"
#include "cli/case_commands.h"
#include "cli/commands.h"
#include "cli/error_exitcode.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/replayed.h"
#include "cli/under_test.h"
#include "judge/read_signature.h"

namespace indexfuzz {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  indexfuzz replay corpus/\n"
    "  indexfuzz replay DIR/findings/0cafe1623aaa/minimal.case --load ./libmine.so --impl "
    "mine::gather\n"
    "Runs the cases of each file in order in one process and judges the last. A failure that the "
    "ledger lists\n"
    "passes as known; one that is listed for the file and does not fail any more is reported as "
    "fixed. In a\n"
    "folder, links are not followed, and other files than case files are set aside and counted.\n"
    "Exit codes: 0 nothing unexpected, 77 a new failure or a fixed one, 3 nothing was verified, at "
    "all or for an\n"
    "implementation that --impl names, 1 set-up, or a named file cannot be read (the others are "
    "replayed),\n"
    "69 the GPU is missing or was lost, 72 interrupted, 75 a report could not be written.";

/// A listed failure counts as fixed only after this many passes: it may fail only sometimes.
constexpr int kRunsUntilFixed = 100;
constexpr std::size_t kMostAsideShown = 20;

struct Asked {
  std::vector<std::string> paths;
  UnderTest under_test;
  LedgerChoice ledger;
  std::string junit, sarif;
  ErrorExitcode error_exitcode;
};

/// The canonical path, which is the same for all names of a file; empty if it does not exist.
std::filesystem::path only_name(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::canonical(file, error);
}

class Replay {
 public:
  Replay(CaseSession& session, std::vector<LedgerEntry> ledger)
      : session_(session), ledger_(std::move(ledger)) {
    for (const LedgerEntry& entry : ledger_) {
      if (auto file = only_name(entry.case_file); !file.empty())
        entries_of_[std::move(file)].push_back(&entry);
    }
  }

  /// Runs the file on each implementation that has its form. Calls `each` with each result as soon
  /// as there is one, since the next run may end the command.
  void file(const CaseFile& file, const std::function<void(Replayed)>& each);

 private:
  Replayed judge(const CaseFile& file, std::uint32_t implementation);
  Replayed failing(const CaseFile& file, const Verdict& verdict, std::uint32_t implementation);
  const LedgerEntry* listed(const CaseFile& file, const std::string& implementation) const;
  bool is_now_and_then(const CaseFile& file, const Verdict& verdict, std::uint32_t implementation,
                       const LedgerEntry& entry);

  CaseSession& session_;
  const std::vector<LedgerEntry> ledger_;
  std::map<std::filesystem::path, std::vector<const LedgerEntry*>> entries_of_;
};

/// The ledger's entry for a failure of this file on this implementation; null if there is none.
const LedgerEntry* Replay::listed(const CaseFile& file, const std::string& implementation) const {
  const auto entries = entries_of_.find(only_name(file.path));
  if (entries == entries_of_.end()) return nullptr;
  const std::string named = fmt::format(" on {}: ", listed_name(implementation));
  for (const LedgerEntry* entry : entries->second) {
    if (applies(*entry, session_.hello().torch, device_of(implementation)) &&
        entry->signature.find(named) != std::string::npos)
      return entry;
  }
  return nullptr;
}

/// Whether a failure of the kind that the entry lists does not show in every run, so that the
/// traits without which it passed once may be other than the listed ones.
bool Replay::is_now_and_then(const CaseFile& file, const Verdict& verdict,
                             std::uint32_t implementation, const LedgerEntry& entry) {
  const Case& c = file.judged();
  const std::string& name = session_.hello().implementations[implementation].name;
  const auto read = read_signature(entry.signature, c);
  if (!read || shrink_key(c, verdict, name) != shrink_key(c, read->verdict, name)) return false;
  const Confirmation again = session_.confirm_failure(c, verdict, implementation);
  if (session_.interrupted()) throw Interruption();
  return again.failed < again.runs;
}

Replayed Replay::failing(const CaseFile& file, const Verdict& verdict,
                         std::uint32_t implementation) {
  const std::string& name = session_.hello().implementations[implementation].name;
  Confirmation once;
  once.failed = once.runs = 1;
  once.verdict = verdict;
  const Signature signature = session_.sign(file.judged(), once, implementation);
  Replayed result;
  result.signature = signature.text;
  result.text = signature.text;
  if (const LedgerEntry* known =
          find_entry(ledger_, signature.text, session_.hello().torch, name)) {
    result.outcome = Replayed::Outcome::kKnown;
    result.reason = known->reason;
    return result;
  }
  const LedgerEntry* const entry = listed(file, name);
  if (entry != nullptr && is_now_and_then(file, verdict, implementation, *entry)) {
    result.outcome = Replayed::Outcome::kKnown;
    result.signature = result.text = entry->signature;
    result.reason = entry->reason;
    return result;
  }
  result.outcome = Replayed::Outcome::kFailed;
  const std::string message = printable(verdict.message.data());
  if (result.text.find(message) == std::string::npos) result.text += fmt::format(" ({})", message);
  if (entry != nullptr) result.text += fmt::format("; the ledger lists it as {}", entry->signature);
  return result;
}

Replayed skipped(std::string why) {
  Replayed result;
  result.outcome = Replayed::Outcome::kSkipped;
  result.text = std::move(why);
  return result;
}

Replayed Replay::judge(const CaseFile& file, std::uint32_t implementation) {
  const LedgerEntry* expected = listed(file, session_.hello().implementations[implementation].name);
  for (int run = 0; run < (expected != nullptr ? kRunsUntilFixed : 1); ++run) {
    const Verdict verdict = session_.run(file, implementation);
    switch (verdict.status) {
      case Status::kAgreed: break;
      case Status::kVacuous:
        if (expected != nullptr) break;  // it may be a crash, which needs no element
        return skipped(in_words(verdict, file.judged()));
      case Status::kRefused:
      case Status::kUnsupported: return skipped(printable(verdict.message.data()));
      case Status::kFinding: return failing(file, verdict, implementation);
    }
  }
  Replayed result;
  if (expected != nullptr) {
    result.outcome = Replayed::Outcome::kFixed;
    result.signature = expected->signature;
    result.reason = expected->reason;
    result.text = fmt::format("does not fail any more: {}", expected->signature);
  }
  return result;
}

void Replay::file(const CaseFile& file, const std::function<void(Replayed)>& each) {
  const auto tell = [&](Replayed result) {
    result.file = printable(file.path.string());
    each(std::move(result));
  };
  const std::vector<std::uint32_t> fitting = implementations_for(session_.hello(), file.judged());
  for (const std::uint32_t i : fitting) {
    Replayed result = judge(file, i);
    result.implementation = session_.hello().implementations[i].name;
    tell(std::move(result));
  }
  if (fitting.empty()) tell(skipped("no implementation has this form"));
  if (std::string elsewhere = found_elsewhere(file, session_.hello()); !elsewhere.empty())
    tell(skipped(std::move(elsewhere)));
}

void print(const Replayed& result) {
  fmt::print("{:<8} {}{}{}{}\n", name(result.outcome), result.file,
             result.implementation.empty() ? "" : " on " + result.implementation,
             result.text.empty() ? "" : ": " + result.text,
             result.outcome == Replayed::Outcome::kKnown ? "; " + result.reason : "");
  std::fflush(stdout);
}

/// Results for the files that cannot be run. All go into the reports; only some are printed.
std::vector<Replayed> not_run(const Corpus& corpus) {
  std::vector<Replayed> results;
  const auto add = [&](const std::string& file, Replayed::Outcome outcome, std::string text) {
    Replayed& result = results.emplace_back();
    result.file = file;
    result.outcome = outcome;
    result.text = std::move(text);
  };
  for (const NamedUnreadable& named : corpus.unreadable) {
    add(named.file, Replayed::Outcome::kUnreadable, named.text);
    fmt::print(stderr, "indexfuzz: {}: {}\n", named.file, named.text);
  }
  for (const SetAside& aside : corpus.aside)
    add(aside.file, Replayed::Outcome::kSkipped, "set aside: " + aside.text);
  const std::size_t shown = std::min(corpus.aside.size(), kMostAsideShown);
  for (std::size_t i = 0; i < shown; ++i) print(results[corpus.unreadable.size() + i]);
  if (shown < corpus.aside.size())
    fmt::print("skipped  and {} more\n", corpus.aside.size() - shown);
  return results;
}

/// Whether the files call the implementation, but only in cases that run before the judged one.
bool only_leads(const ImplementationInfo& implementation, const std::vector<CaseFile>& files) {
  const auto has = [&](const Case& c) { return form_for(implementation, c) != nullptr; };
  const auto judges = [&](const CaseFile& file) { return has(file.judged()); };
  const auto calls = [&](const CaseFile& file) { return std::ranges::any_of(file.cases, has); };
  return std::ranges::none_of(files, judges) && std::ranges::any_of(files, calls);
}

/// A sentence if something that was asked for has no verdict, else empty. `named`: the
/// implementations that --impl chooses, each of which needs one; if empty, any verdict will do.
std::string lack_of_verdicts(const std::vector<Replayed>& results,
                             const std::vector<std::string>& named) {
  std::set<std::string> verified;
  for (const Replayed& result : results) {
    if (is_verdict(result.outcome)) verified.insert(result.implementation);
  }
  std::vector<std::string> lacking = named;
  std::erase_if(lacking, [&](const std::string& name) { return verified.contains(name); });
  if (!lacking.empty())
    return fmt::format("nothing was verified for {}.", fmt::join(lacking, ", "));
  return verified.empty() ? "nothing was verified." : "";
}

std::vector<Reason> reasons_of(const std::vector<Replayed>& results) {
  const auto any = [&](Replayed::Outcome outcome) {
    return std::ranges::find(results, outcome, &Replayed::outcome) != results.end();
  };
  std::vector<Reason> reasons;
  if (any(Replayed::Outcome::kFailed)) reasons.push_back(Reason::kNew);
  if (any(Replayed::Outcome::kFixed)) reasons.push_back(Reason::kFixed);
  if (any(Replayed::Outcome::kUnreadable)) reasons.push_back(Reason::kSetup);
  return reasons;
}

/// Prints "3 files, 4 results, …: 3 passed, 1 known, …". `run`: the number of results of files that
/// were read.
void print_totals(const Corpus& corpus, const std::vector<Replayed>& results, std::size_t run) {
  const std::string aside = in_words(corpus.aside);
  if (corpus.files.empty() && aside.empty()) return;
  const auto count = [&](Replayed::Outcome outcome) {
    return std::ranges::count(results, outcome, &Replayed::outcome);
  };
  fmt::print(
      "{}, {}, one for each implementation of a file: {} passed, {} known, {} failed, {} fixed, {} "
      "skipped{}{}\n",
      plural(corpus.files.size(), "file"), plural(run, "result"), count(Replayed::Outcome::kPassed),
      count(Replayed::Outcome::kKnown), count(Replayed::Outcome::kFailed),
      count(Replayed::Outcome::kFixed),
      count(Replayed::Outcome::kSkipped) - static_cast<std::ptrdiff_t>(corpus.aside.size()),
      aside.empty() ? "" : "; ", aside);
}

int replay(const Asked& asked) {
  const int findings_code = asked.error_exitcode.code();
  const auto timeout = parse_duration(asked.under_test.timeout);
  const auto ledger = asked.ledger.read();
  const Corpus corpus = read_corpus(asked.paths);
  std::vector<Replayed> results = not_run(corpus);
  const std::size_t not_run_count = results.size();
  std::vector<std::string> named;
  std::optional<Reason> cut_off;
  if (!corpus.files.empty()) {
    CaseSession session(asked.under_test.worker(operators_of(corpus.files)),
                        asked.under_test.strict, timeout);
    if (!asked.under_test.implementations.empty()) {
      for (const ImplementationInfo& one : session.hello().implementations) {
        if (!one.comes_along && !only_leads(one, corpus.files)) named.push_back(one.name);
      }
    }
    Replay replay(session, ledger);
    try {
      for (const CaseFile& file : corpus.files) {
        replay.file(file, [&](Replayed result) {
          print(result);
          results.push_back(std::move(result));
        });
      }
    } catch (const Interruption&) {
      cut_off = Reason::kInterrupted;
    } catch (const DeviceMissing& error) {
      cut_off = Reason::kDevice;
      fmt::print(stderr, "indexfuzz: {}\n", error.what());
    } catch (const SetupError& error) {
      cut_off = Reason::kSetup;
      fmt::print(stderr, "indexfuzz: {}\n", error.what());
    }
  }
  print_totals(corpus, results, results.size() - not_run_count);
  std::vector<Reason> reasons = reasons_of(results);
  if (cut_off) reasons.push_back(*cut_off);
  // If no named file could be read, each was already reported.
  const bool could_read = !corpus.files.empty() || corpus.unreadable.empty();
  const std::string lack = lack_of_verdicts(results, named);
  if (!lack.empty() && could_read && !cut_off) {
    reasons.push_back(Reason::kInconclusive);
    fmt::print(stderr, "indexfuzz: {}\n", lack);
  }
  if (!asked.junit.empty()) write_output(asked.junit, junit_text(results));
  if (!asked.sarif.empty()) write_output(asked.sarif, sarif_text(results));
  return exit_code(reasons, findings_code);
}

}  // namespace

void add_replay(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand("replay", "run case files again");
  auto asked = std::make_shared<Asked>();
  command->add_option("PATH", asked->paths, "case files, or folders of case files")->required();
  asked->under_test.add_to(*command);
  asked->ledger.add_to(*command);
  command->add_option("--junit", asked->junit, "write a JUnit report for CI systems")
      ->type_name("FILE");
  command->add_option("--sarif", asked->sarif, "write a SARIF report for code scanning")
      ->type_name("FILE");
  asked->error_exitcode.add_to(*command);
  command->footer(kExamples);
  command->callback([asked, &run] { run = [asked] { return replay(*asked); }; });
}

}  // namespace indexfuzz
