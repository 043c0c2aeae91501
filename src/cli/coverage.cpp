#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "campaign/failure.h"
#include "campaign/store/summary_file.h"
#include "case/strings/printable.h"
#include "cli/commands.h"
#include "cli/native_table.h"

namespace indexfuzz {
namespace {

struct Asked {
  std::string folder;
  bool all = false;
};

NativeTotals read(const std::string& folder) {
  const Summary summary = read_summary(folder);
  const auto native = summary.json.find("native_coverage");
  if (native == summary.json.end()) {
    throw SetupError(
        fmt::format("{} holds no native coverage; run the campaign with --native-coverage.",
                    printable(folder)));
  }
  try {
    return parse_native(*native);
  } catch (const nlohmann::json::exception& error) {
    throw SetupError(fmt::format("the native coverage in {} is damaged: {}.", printable(folder),
                                 printable(error.what())));
  }
}

int coverage(const Asked& asked) {
  fmt::print("{}", native_table(read(asked.folder), asked.all));
  return 0;
}

}  // namespace

void add_coverage(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "coverage", "LibTorch's indexing functions of which a campaign reached less than half");
  auto asked = std::make_shared<Asked>();
  command->add_option("DIR", asked->folder, "the --out folder of a campaign with --native-coverage")
      ->required();
  command->add_flag("--all", asked->all, "list every function, also those not under test");
  command->footer(
      "Example:\n"
      "  indexfuzz fuzz --time 60s --native-coverage --out night && indexfuzz coverage night");
  command->callback([asked, &run] { run = [asked] { return coverage(*asked); }; });
}

}  // namespace indexfuzz
