#include "shrink/shrink.h"

#include <fmt/format.h>

#include <memory>

#include "campaign/failure.h"
#include "cli/case_commands.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

struct Asked {
  OneCase one;
  std::string output;
};

int shrink_file(const Asked& asked) {
  const auto timeout = parse_duration(asked.one.under_test.timeout);
  const CaseFile file = read_case_file(asked.one.path);
  CaseSession session(asked.one.under_test.worker(operators_of({file})),
                      asked.one.under_test.strict, timeout);
  const Judged failing = first_failing(judge_by_all(session, file), file, session.hello());
  const std::string& implementation = session.hello().implementations[failing.implementation].name;
  if (failing.verdict.status != Status::kFinding) {
    const std::string elsewhere = found_elsewhere(file, session.hello());
    throw SetupError(fmt::format("{}: nothing to shrink, {} {}{}{}.", asked.one.path,
                                 implementation, in_words(failing.verdict, file.judged()),
                                 elsewhere.empty() ? "" : "; ", elsewhere));
  }
  const Confirmation confirmation =
      session.confirm_failure(file.judged(), failing.verdict, failing.implementation);
  if (session.interrupted()) throw Interruption();
  if (confirmation.failed == 0) {
    throw SetupError(fmt::format("{}: the failure did not show again in {} runs.", asked.one.path,
                                 confirmation.runs));
  }
  const std::vector<Case> minimal =
      session.minimal(file.judged(), confirmation, failing.implementation);
  fmt::print(stderr, "{} {}; {} elements, {} before\n", implementation,
             in_words(confirmation.verdict, file.judged()), total_elements(minimal.back()),
             total_elements(file.judged()));
  if (minimal.size() > 1)
    fmt::print(stderr, "it fails only after {} other call{}, {} before shrinking\n",
               minimal.size() - 1, minimal.size() == 2 ? "" : "s",
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
  command->footer("Example:\n  indexfuzz shrink big.case -o small.case");
  command->callback([asked, &run] { run = [asked] { return shrink_file(*asked); }; });
}

}  // namespace indexfuzz
