#include "campaign/store/merge.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "campaign/failure.h"
#include "case/strings/counted.h"
#include "case/strings/printable.h"
#include "cli/commands.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

struct Asked {
  std::vector<std::string> shards;
  std::string out;
};

int merge(const Asked& asked) {
  std::vector<Summary> summaries;
  for (const std::string& shard : asked.shards) {
    std::error_code error;
    if (fs::equivalent(shard, asked.out, error)) {
      throw SetupError(
          fmt::format("{} is to be merged into itself; give another -o.", printable(shard)));
    }
    summaries.push_back(read_summary(shard));
  }
  // Its own counts would be lost or, in a merge that is repeated, added twice.
  if (std::error_code error; fs::exists(fs::path(asked.out) / "summary.json", error)) {
    throw SetupError(
        fmt::format("{} holds a campaign already; name it among the folders and give a new -o.",
                    printable(asked.out)));
  }
  nlohmann::ordered_json summary;
  try {
    summary = merge_summaries(summaries);
  } catch (const nlohmann::ordered_json::exception& error) {
    throw SetupError(fmt::format("a summary.json is damaged: {}.", printable(error.what())));
  }
  Store store(asked.out);
  Merged merged;
  for (const std::string& shard : asked.shards) merge_folder(shard, store, merged);
  store.write_summary(summary);
  if (!store.trouble().empty()) throw StorageError(store.trouble());
  fmt::print("{} in {}: {} ({} in several shards), {} ({} left out){}\n",
             plural(asked.shards.size(), "shard"), printable(asked.out),
             plural(merged.findings, "finding"), merged.known_ids,
             plural(merged.inputs, "corpus file"), plural(merged.same_inputs, "duplicate"),
             merged.aside > 0 ? fmt::format("; {} set aside", merged.aside) : "");
  return 0;
}

}  // namespace

void add_merge(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "merge", "unite the folders of several campaigns: corpora, findings, summaries");
  auto asked = std::make_shared<Asked>();
  command->add_option("DIR", asked->shards, "the --out folders of the campaigns")->required();
  command->add_option("-o", asked->out, "folder to merge into; it may not hold a campaign yet")
      ->type_name("DIR")
      ->required();
  command->footer("Example:\n  indexfuzz merge night/shard-* -o night/all");
  command->callback([asked, &run] { run = [asked] { return merge(*asked); }; });
}

}  // namespace indexfuzz
