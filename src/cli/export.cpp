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

struct FormOfExport {
  const char* name;
  std::string (*write)(const Reproduction&);
};
constexpr FormOfExport kForms[] = {{"py", python_program},
                                   {"cpp", cpp_program},
                                   {"gtest", gtest_file},
                                   {"pytest", pytest_file},
                                   {"issue", issue_text}};

const FormOfExport& form_named(const std::string& name) {
  const auto form = std::ranges::find(kForms, name, &FormOfExport::name);
  if (form != std::end(kForms)) return *form;
  std::vector<std::string> names;
  for (const FormOfExport& one : kForms) names.emplace_back(one.name);
  throw SetupError(unknown_name("form", name, names));
}

int export_case(const Asked& asked) {
  const FormOfExport& form = form_named(asked.form);
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
  write_output(asked.output, form.write(reproduction(finding, session.hello(), worker.libraries)));
  return 0;
}

}  // namespace

void add_export(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "export",
      "write a case as a program, a test or an issue text that needs nothing of indexfuzz");
  auto asked = std::make_shared<Asked>();
  asked->one.add_to(*command);
  command
      ->add_option("--as", asked->form,
                   "a program (py, cpp), a test (gtest, pytest) or an issue text (issue)")
      ->required()
      ->type_name("FORM");
  command->add_option("-o", asked->output, "file to write; default: standard output")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  indexfuzz export minimal.case --as py -o repro.py\n"
      "  indexfuzz export minimal.case --as pytest -o test_gather.py && pytest test_gather.py");
  command->callback([asked, &run] { run = [asked] { return export_case(*asked); }; });
}

}  // namespace indexfuzz
