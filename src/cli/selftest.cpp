#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "campaign/failure.h"
#include "campaign/outcome.h"
#include "campaign/stop_signals.h"
#include "campaign/store.h"
#include "cli/commands.h"
#include "cli/quantity.h"
#include "cli/selftest_table.h"
#include "cli/trial.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples =
    "Runs `indexfuzz fuzz` against kernels that each have one planted bug, and against correct "
    "ones of different make.\n"
    "Examples:\n"
    "  indexfuzz selftest                                    every kernel, their reproducers "
    "compiled and run\n"
    "  indexfuzz selftest --no-programs --kernels gather     what gather's planted bugs look like, "
    "in seconds\n"
    "  indexfuzz selftest --kernels correct:: --correct-cases 1e6\n"
    "Exit codes: 0 every bug was caught as what it is and no correct kernel raised an alarm, 77 "
    "otherwise, 1 set-up.";

struct Asked {
  std::string kernels, json;
  std::string time = "30s", seed = "1", correct_cases = "100000", engine = "property";
  bool no_programs = false;
  int jobs = 1;
};

/// Beside an installed program, else where it was built.
fs::path find_file(const char* installed, const fs::path& built) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {self / installed, built}) {
    if (fs::is_regular_file(path, error)) return path.lexically_normal();
  }
  throw SetupError(fmt::format("{} was not found; build or install it beside indexfuzz.",
                               (self / installed).lexically_normal().string()));
}

std::vector<PlantedKernel> chosen_kernels(const std::string& part) {
  auto all = read_catalogue(find_file("../share/indexfuzz/planted.toml",
                                      fs::path(config::kSourceDir) / "src/planted/catalogue.toml"));
  std::erase_if(all, [&](const PlantedKernel& kernel) {
    return kernel.name.find(part) == std::string::npos;
  });
  if (all.empty())
    throw SetupError(fmt::format("no kernel of the catalogue has '{}' in its name.", part));
  return all;
}

/// The results in the order of the kernels. Throws Interruption.
std::vector<TrialResult> run_all(const std::vector<PlantedKernel>& kernels,
                                 const TrialOptions& options, int jobs) {
  const StopSignals signals;
  std::vector<TrialResult> results(kernels.size());
  std::deque<std::pair<std::size_t, std::unique_ptr<Trial>>> running;
  std::size_t next = 0, ended = 0;
  while (ended < kernels.size()) {
    while (next < kernels.size() && running.size() < static_cast<std::size_t>(jobs)) {
      running.emplace_back(next, std::make_unique<Trial>(kernels[next], options));
      ++next;
    }
    std::erase_if(running, [&](auto& one) {
      auto result = one.second->poll();
      if (!result) return false;
      results[one.first] = std::move(*result);
      fmt::print(stderr, "{}/{} {}\n", ++ended, kernels.size(), in_words(results[one.first]));
      return true;
    });
    if (signals.arrived()) throw Interruption();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return results;
}

int selftest(const Asked& asked) {
  TrialOptions options;
  options.time = asked.time;
  parse_duration(asked.time);
  options.seed = parse_count(asked.seed);
  options.correct_cases = parse_count(asked.correct_cases);
  options.verify = !asked.no_programs;
  options.engine = asked.engine;
  if (asked.jobs < 1) throw SetupError("--jobs takes 1 or more.");
  options.plugin = find_file("../lib/indexfuzz/libindexfuzz_planted.so",
                             fs::path(config::kBuildDir) / "libindexfuzz_planted.so");
  const auto kernels = chosen_kernels(asked.kernels);
  const auto results = run_all(kernels, options, asked.jobs);
  fmt::print("{}", selftest_table(results));
  std::fflush(stdout);
  if (!asked.json.empty()) write_whole(asked.json, selftest_json(results).dump(2) + "\n");
  return std::ranges::all_of(results, as_catalogued) ? 0 : exit_code({Reason::kNew});
}

}  // namespace

void add_selftest(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "selftest", "planted bugs: which are caught, how fast; correct kernels: no alarm");
  auto asked = std::make_shared<Asked>();
  command->add_option("--kernels", asked->kernels, "only those with this in their names")
      ->type_name("PART");
  command->add_option("--time", asked->time, "at most, for each planted bug")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--correct-cases", asked->correct_cases, "drawn for each correct kernel")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", asked->seed, "of every campaign")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--engine", asked->engine, "of every campaign: property, coverage or both")
      ->type_name("ENGINE")
      ->capture_default_str();
  command->add_flag("--no-programs", asked->no_programs,
                    "do not run the stand-alone programs of findings");
  command->add_option("--jobs", asked->jobs, "kernels at a time")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--json", asked->json, "the results for programs")->type_name("FILE");
  command->footer(kExamples);
  command->callback([asked, &run] { run = [asked] { return selftest(*asked); }; });
}

}  // namespace indexfuzz
