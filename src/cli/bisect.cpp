#include "campaign/programs/bisect.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "campaign/exit_code.h"
#include "campaign/stop_signals.h"
#include "campaign/temporary_folder.h"
#include "cli/bisect_text.h"
#include "cli/commands.h"
#include "cli/examined_case.h"
#include "cli/output.h"

namespace indexfuzz {
namespace {

constexpr const char* kExamples =
    "Runs the case's stand-alone Python program, as `export --as py` writes it, under each Python "
    "in the order\n"
    "of their torch versions, and says where its result turns from right to wrong or back.\n"
    "Example, with a Python for each version:\n"
    "  for v in 2.9.0 2.10.0 2.11.0; do python3 -m venv torch-$v && torch-$v/bin/pip install "
    "torch==$v; done\n"
    "  indexfuzz bisect minimal.case --python torch-*/bin/python\n"
    "Exit codes: 0 some version could tell right from wrong, 3 none could, 1 a Python that does "
    "not run or has\n"
    "no torch.";

struct Asked {
  OneCase one;
  std::vector<std::string> pythons;
};

int bisect(const Asked& asked) {
  const ExaminedCase examined = examine_case(asked.one, "bisect");
  tell_if_it_passes(examined);
  const StopSignals signals;
  const TemporaryFolder folder("indexfuzz-bisect");
  const std::filesystem::path program = folder.path() / "repro.py";
  write_output(program.string(), python_program(examined.reproduction));
  std::vector<PythonWithTorch> pythons = ask_for_torch(asked.pythons, signals);
  sort_by_age(pythons);
  std::vector<TriedVersion> tried;
  for (const PythonWithTorch& python : pythons) {
    tried.push_back(try_version(python, program, signals));
    fmt::print(stderr, "{}/{} torch {} of {}: {}\n", tried.size(), pythons.size(), python.torch,
               python.python, in_words(tried.back().shown));
  }
  write_output("", bisect_table(tried) + bisect_answer(tried));
  return any_conclusive(tried) ? 0 : exit_code({Reason::kInconclusive});
}

}  // namespace

void add_bisect(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "bisect", "the first version of PyTorch in which a case fails, and the last good one");
  auto asked = std::make_shared<Asked>();
  asked->one.add_to(*command);
  command
      ->add_option("--python", asked->pythons,
                   "the Pythons to run its program under, each with another version of torch")
      ->required()
      ->type_name("PY");
  command->footer(kExamples);
  command->callback([asked, &run] { run = [asked] { return bisect(*asked); }; });
}

}  // namespace indexfuzz
