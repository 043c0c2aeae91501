#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "campaign/examine/finding.h"
#include "campaign/failure.h"
#include "cli/case_commands.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/quantity.h"

namespace indexfuzz {
namespace {

struct Asked {
  OneCase one;
  std::string form;
  std::string output;
};

void check_form(const std::string& form) {
  const std::vector<std::string> forms{"py", "cpp", "issue"};
  if (form == "gtest" || form == "pytest") {
    throw SetupError(
        fmt::format("--as {} is not part of this build; there are py, cpp and issue.", form));
  }
  if (std::ranges::find(forms, form) == forms.end())
    throw SetupError(unknown_name("form", form, forms));
}

int export_case(const Asked& asked) {
  check_form(asked.form);
  const auto timeout = parse_duration(asked.one.under_test.timeout);
  const CaseFile file = read_case_file(asked.one.path);
  const WorkerCommand worker = asked.one.under_test.worker(operators_of({file}));
  CaseSession session(worker, asked.one.under_test.strict, timeout);
  const Judged judged = first_failing(judge_by_all(session, file), file, session.hello());
  Finding finding;
  finding.implementation = judged.implementation;
  finding.original = finding.minimal = file.judged();
  finding.verdict = judged.verdict;
  const std::string& implementation = session.hello().implementations[judged.implementation].name;
  if (judged.verdict.status == Status::kFinding) {
    const Confirmation confirmation =
        session.confirm_failure(file.judged(), judged.verdict, judged.implementation);
    if (session.interrupted()) throw Interruption();
    finding.before = session.before(judged.implementation);
    finding.failed = confirmation.failed;
    finding.runs = confirmation.runs;
    if (confirmation.failed > 0) {
      finding.verdict = confirmation.verdict;
      finding.signature = session.sign(file.judged(), confirmation, judged.implementation);
    }
  } else {
    const std::string passes = implementation + " " + in_words(judged.verdict, file.judged());
    // A program that passes is written for who names the implementation, not by mistake.
    const std::string elsewhere = found_elsewhere(file, session.hello());
    if (!elsewhere.empty() && asked.one.under_test.implementations.empty()) {
      throw SetupError(
          fmt::format("{}: nothing to export, {}; {}.", asked.one.path, passes, elsewhere));
    }
    if (asked.form == "issue") {
      throw SetupError(fmt::format(
          "{}: there is nothing to report. --as py writes a program that passes.", passes));
    }
    fmt::print(stderr, "indexfuzz: {}, so what is written will pass.\n", passes);
  }
  const Reproduction r = reproduction(finding, session.hello(), worker.libraries);
  write_output(asked.output, asked.form == "py"    ? python_program(r)
                             : asked.form == "cpp" ? cpp_program(r)
                                                   : issue_text(r));
  return 0;
}

}  // namespace

void add_export(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "export", "write a case as a program or an issue text that needs nothing of indexfuzz");
  auto asked = std::make_shared<Asked>();
  asked->one.add_to(*command);
  command->add_option("--as", asked->form, "what to write: py, cpp or issue")
      ->required()
      ->type_name("FORM");
  command->add_option("-o", asked->output, "file to write; default: standard output")
      ->type_name("FILE");
  command->footer("Example:\n  indexfuzz export minimal.case --as py -o repro.py");
  command->callback([asked, &run] { run = [asked] { return export_case(*asked); }; });
}

}  // namespace indexfuzz
