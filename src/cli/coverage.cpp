#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "campaign/failure.h"
#include "cli/commands.h"
#include "cli/native_table.h"

namespace indexfuzz {
namespace {

struct Asked {
  std::string folder;
  bool all = false;
};

NativeTotals read(const std::string& folder) {
  const std::string path = folder + "/summary.json";
  std::ifstream file(path);
  if (!file) throw SetupError(fmt::format("{}: no such file; name the --out of a campaign.", path));
  try {
    const auto summary = nlohmann::json::parse(file);
    if (summary.is_object() && !summary.contains("native_coverage")) {
      throw SetupError(fmt::format(
          "{} holds no native coverage; run the campaign with --native-coverage.", path));
    }
    return parse_native(summary.at("native_coverage"));
  } catch (const nlohmann::json::exception& error) {
    throw SetupError(fmt::format("{} is no summary of a campaign ({}).", path, error.what()));
  }
}

int coverage(const Asked& asked) {
  fmt::print("{}", native_table(read(asked.folder), asked.all));
  return 0;
}

}  // namespace

void add_coverage(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "coverage", "which of LibTorch's indexing functions a campaign left below half");
  auto asked = std::make_shared<Asked>();
  command->add_option("DIR", asked->folder, "the --out of a campaign with --native-coverage")
      ->required();
  command->add_flag("--all", asked->all, "every function, also what is not under test");
  command->footer(
      "Example:\n"
      "  indexfuzz fuzz --time 60s --native-coverage --out night && indexfuzz coverage night");
  command->callback([asked, &run] { run = [asked] { return coverage(*asked); }; });
}

}  // namespace indexfuzz
