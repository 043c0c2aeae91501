#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "campaign/failure.h"
#include "cli/commands.h"
#include "cli/examined_case.h"
#include "cli/names.h"
#include "cli/output.h"

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
  const ExaminedCase examined = examine_case(asked.one, "export");
  if (!examined.passes.empty()) {
    if (asked.form == "issue") {
      throw SetupError(
          fmt::format("{}: there is nothing to report. --as py writes a program that passes.",
                      examined.passes));
    }
    fmt::print(stderr, "indexfuzz: {}, so what is written will pass.\n", examined.passes);
  }
  write_output(asked.output, form.write(examined.reproduction));
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
