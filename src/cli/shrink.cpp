#include "shrink/shrink.h"

#include <fmt/format.h>

#include <memory>

#include "campaign/failure.h"
#include "case/strings/counted.h"
#include "cli/case_commands.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

struct Asked {
  OneCase one;
  std::string output;
};

int shrink_file(const Asked& asked) {
  const CaseFile file = read_case_file(asked.one.path);
  CaseSession session = asked.one.session_for(file);
  const Judged failing = first_failing(session, file);
  if (failing.verdict.status != Status::kFinding)
    throw SetupError(nothing_to("shrink", asked.one, in_words(failing, file, session.hello()),
                                found_elsewhere(file, session.hello())));
  const Confirmation confirmation =
      session.confirm_failure(file.judged(), failing.verdict, failing.implementation);
  if (session.interrupted()) throw Interruption();
  if (confirmation.failed == 0) {
    throw SetupError(fmt::format("{}: the failure did not show again in {} runs.", asked.one.path,
                                 confirmation.runs));
  }
  const std::vector<Case> minimal =
      session.minimal(file.judged(), confirmation, failing.implementation);
  const Judged confirmed{failing.implementation, confirmation.verdict, {}};
  fmt::print(stderr, "{}; {}, {} before\n", in_words(confirmed, file, session.hello()),
             plural(static_cast<std::uint64_t>(total_elements(minimal.back())), "element"),
             total_elements(file.judged()));
  if (minimal.size() > 1)
    fmt::print(stderr, "it fails only after {}, {} before shrinking\n",
               plural(minimal.size() - 1, "other call"),
               session.before(failing.implementation).size());
  write_output(asked.output, to_text(minimal));
  if (session.interrupted()) {
    fmt::print(stderr, "indexfuzz: what is written may not be the smallest case\n");
    throw Interruption();
  }
  return 0;
}

}  // namespace

void add_shrink(CLI::App& program, Run& run) {
  CLI::App* command =
      program.add_subcommand("shrink", "the smallest case that fails in the same way");
  auto asked = std::make_shared<Asked>();
  asked->one.add_to(*command);
  command->add_option("-o", asked->output, "file to write; default: standard output")
      ->type_name("FILE");
  command->footer(
      "Example:\n"
      "  indexfuzz shrink big.case -o small.case\n"
      "The case that is written fails on the same implementation and operand with the same kind of "
      "failure and\n"
      "class of error. Other traits may matter to it than to CASE, so that its signature may be "
      "another one.");
  command->callback([asked, &run] { run = [asked] { return shrink_file(*asked); }; });
}

}  // namespace indexfuzz
