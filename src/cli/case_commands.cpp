#include "cli/case_commands.h"

#include <fmt/format.h>

#include <cstdio>

#include "campaign/failure.h"
#include "campaign/store.h"

namespace indexfuzz {

void OneCase::add_to(CLI::App& command) {
  command.add_option("CASE", path, "a case file; of several cases in it the last one")->required();
  under_test.add_to(command);
}

std::vector<Judged> judge_by_all(CaseSession& session, const CaseFile& file) {
  std::vector<Judged> judged;
  for (const std::uint32_t i : session.implementations_for(file.judged())) {
    judged.push_back({i, session.run(file, i)});
  }
  return judged;
}

Judged first_failing(const std::vector<Judged>& judged) {
  if (judged.empty()) throw SetupError("no implementation has the form that this case calls.");
  for (const Judged& one : judged) {
    if (one.verdict.status == Status::kFinding) return one;
  }
  return judged.front();
}

std::string in_words(const Verdict& verdict) {
  const std::string message = verdict.message.data();
  const std::string tail = message.empty() ? "" : ": " + message;
  switch (verdict.status) {
    case Status::kAgreed: return "agrees with the oracle";
    case Status::kVacuous: return "agrees, but there was no element to judge";
    case Status::kRefused: return "refused this legal case" + tail;
    case Status::kUnsupported: return "does not support it" + tail;
    case Status::kFinding: return fmt::format("FAILS, {}{}", name(verdict.kind), tail);
  }
  return "";
}

void write_output(const std::string& file, const std::string& text) {
  if (file.empty() || file == "-") {
    fmt::print("{}", text);
    if (std::fflush(stdout) != 0) throw StorageError("cannot write to standard output.");
  } else {
    write_whole(file, text);
  }
}

}  // namespace indexfuzz
