#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/case_commands.h"
#include "cli/commands.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {
namespace {

// Of the cases before the judged one, only this many are shown; there may be a thousand.
constexpr std::size_t kShownBefore = 3;

int show(const OneCase& asked) {
  const CaseFile file = read_case_file(asked.path);
  if (file.cases.size() > 1) {
    fmt::print("{} cases that run in one process; the last is judged.\n\n", file.cases.size());
    for (std::size_t i = 0; i + 1 < std::min(file.cases.size(), kShownBefore + 1); ++i)
      fmt::print("before it: {}\n", describe_case(file.cases[i]));
  }
  fmt::print("{}\n", describe_case(file.judged()));
  std::fflush(stdout);
  CaseSession session = asked.session_for(file);
  const std::vector<Judged> judged = judge_by_all(session, file);
  if (judged.empty()) fmt::print("no implementation has this form\n");
  for (const Judged& one : judged) {
    fmt::print("{}\n", in_words(one, file, session.hello()));
    const std::string returned = returned_in_words(one, file.judged());
    if (!returned.empty()) fmt::print("    returned {}\n", returned);
  }
  if (const std::string elsewhere = found_elsewhere(file, session.hello()); !elsewhere.empty())
    fmt::print("{}\n", elsewhere);
  return 0;
}

}  // namespace

void add_show(CLI::App& program, Run& run) {
  CLI::App* command =
      program.add_subcommand("show", "a case in words, and what each implementation returns");
  auto asked = std::make_shared<OneCase>();
  asked->add_to(*command);
  command->footer(
      "Example:\n  indexfuzz show DIR/findings/0cafe1623aaa/minimal.case --load ./libmine.so "
      "--impl mine");
  command->callback([asked, &run] { run = [asked] { return show(*asked); }; });
}

}  // namespace indexfuzz
