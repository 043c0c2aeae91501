#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "campaign/exit_code.h"
#include "campaign/failure.h"
#include "campaign/stop_signals.h"
#include "campaign/store/json_text.h"
#include "case/strings/counted.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/selftest_table.h"
#include "cli/trial.h"
#include "indexfuzz_config.h"
#include "run/shared/cuda_driver.h"
#include "run/shared/program_folder.h"

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
    "  indexfuzz selftest --device cuda                      the kernels for CUDA alone\n"
    "Exit codes: 0 every bug was caught as what it is and no correct kernel raised an alarm, 77 "
    "otherwise, 1 set-up,\n"
    "69 only kernels for CUDA were asked for, and there is no GPU. If a campaign cannot do its\n"
    "work, its kernel counts as not tried, and selftest ends with the campaign's code: 75 for a\n"
    "full disk, 1 for a failed set-up.";

struct Asked {
  std::string kernels, device, json;
  std::string time = "30s", seed = "1", correct_cases = "100000", engine = "property";
  bool no_programs = false;
  int jobs = 1;
};

/// The file at its place in an installed tree, else at `built`; empty if it is in neither place.
fs::path look_for(const char* installed, const fs::path& built) {
  return first_file({program_folder() / installed, built});
}

fs::path find_file(const char* installed, const fs::path& built) {
  const fs::path path = look_for(installed, built);
  if (!path.empty()) return path;
  throw SetupError(fmt::format("{} was not found; build or install it beside indexfuzz.",
                               fs::path(installed).filename().string()));
}

/// The kernels of one plugin and the options of their trials.
struct KernelSet {
  std::vector<PlantedKernel> kernels;
  TrialOptions options;
};

/// The kernels of a catalogue whose names contain `part`.
std::vector<PlantedKernel> chosen_kernels(const fs::path& catalogue, const std::string& part) {
  auto all = read_catalogue(catalogue);
  std::erase_if(all, [&](const PlantedKernel& kernel) {
    return kernel.name.find(part) == std::string::npos;
  });
  return all;
}

KernelSet cpu_kernels(const std::string& part, TrialOptions options) {
  options.plugin = find_file("../lib/indexfuzz/libindexfuzz_planted.so",
                             fs::path(config::kBuildDir) / "libindexfuzz_planted.so");
  return {chosen_kernels(find_file("../share/indexfuzz/planted.toml",
                                   fs::path(config::kSourceDir) / "src/planted/catalogue.toml"),
                         part),
          std::move(options)};
}

/// Leaves out the kernels that cannot run here, and appends a line about each to `skipped`.
KernelSet cuda_kernels(const std::string& part, TrialOptions options, std::string& skipped) {
  options.device = "cuda";
  KernelSet set{
      chosen_kernels(find_file("../share/indexfuzz/planted_cuda.toml",
                               fs::path(config::kSourceDir) / "src/planted/cuda/catalogue.toml"),
                     part),
      std::move(options)};
  const auto skip = [&](std::string_view what, std::string_view why) {
    skipped += fmt::format("{}: skipped: {}\n", what, why);
  };
  set.options.plugin = look_for("../lib/indexfuzz/libindexfuzz_planted_cuda.so",
                                fs::path(config::kBuildDir) / "libindexfuzz_planted_cuda.so");
  std::string no_gpu;
  const std::size_t devices = visible_devices(no_gpu).size();
  if (!set.kernels.empty() && (devices == 0 || set.options.plugin.empty())) {
    skip(plural(set.kernels.size(), "kernel") + " for CUDA",
         devices == 0 ? "no CUDA device" : "indexfuzz was built without CUDA");
    set.kernels.clear();
  }
  std::erase_if(set.kernels, [&](const PlantedKernel& kernel) {
    const bool lacks = kernel.needs == "two devices" && devices < 2;
    if (lacks) skip(kernel.name, "it needs two devices");
    return lacks;
  });
  return set;
}

/// Runs `jobs` trials at a time. The results are in the order of the kernels. Throws Interruption.
std::vector<TrialResult> run_all(const std::vector<KernelSet>& sets, int jobs) {
  const StopSignals signals;
  std::vector<std::pair<const PlantedKernel*, const TrialOptions*>> kernels;
  for (const KernelSet& set : sets)
    for (const PlantedKernel& kernel : set.kernels) kernels.emplace_back(&kernel, &set.options);
  std::vector<TrialResult> results(kernels.size());
  std::deque<std::pair<std::size_t, std::unique_ptr<Trial>>> running;
  std::size_t next = 0, ended = 0;
  while (ended < kernels.size()) {
    while (next < kernels.size() && running.size() < static_cast<std::size_t>(jobs)) {
      running.emplace_back(next,
                           std::make_unique<Trial>(*kernels[next].first, *kernels[next].second));
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
  parse_engines(asked.engine);
  options.engine = asked.engine;
  if (asked.jobs < 1) throw SetupError("--jobs takes 1 or more.");
  std::string skipped;
  std::vector<KernelSet> sets;
  if (asked.device != "cuda") sets.push_back(cpu_kernels(asked.kernels, options));
  if (asked.device != "cpu") sets.push_back(cuda_kernels(asked.kernels, options, skipped));
  if (std::ranges::all_of(sets, [](const KernelSet& set) { return set.kernels.empty(); })) {
    if (skipped.empty())
      throw SetupError(
          fmt::format("no kernel of the catalogue has '{}' in its name.", asked.kernels));
    fmt::print(stderr, "{}", skipped);
    return exit_code({Reason::kDevice});
  }
  const auto results = run_all(sets, asked.jobs);
  // If the JSON goes to stdout, the table goes to stderr.
  fmt::print(asked.json == "-" ? stderr : stdout, "{}{}", selftest_table(results), skipped);
  std::fflush(stdout);
  if (!asked.json.empty()) write_output(asked.json, json_text(selftest_json(results)));
  std::vector<Reason> reasons;
  for (const TrialResult& result : results) {
    if (const auto reason = reason_of(result)) reasons.push_back(*reason);
  }
  return exit_code(reasons);
}

}  // namespace

void add_selftest(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "selftest",
      "show which planted bugs are caught, and how fast; correct kernels must raise no alarm");
  auto asked = std::make_shared<Asked>();
  command->add_option("--kernels", asked->kernels, "only the kernels with PART in their names")
      ->type_name("PART");
  command
      ->add_option(
          "--device", asked->device,
          "only the kernels for this device; default: all, those for CUDA only if there is a GPU")
      ->type_name("cpu|cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  command->add_option("--time", asked->time, "time limit for each planted bug")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--correct-cases", asked->correct_cases,
                   "how many cases to draw for each correct kernel")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", asked->seed, "seed of every campaign")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--engine", asked->engine,
                   "engine of every campaign: property, coverage or both")
      ->type_name("ENGINE")
      ->capture_default_str();
  command->add_flag("--no-programs", asked->no_programs,
                    "do not run the stand-alone programs of findings");
  command->add_option("--jobs", asked->jobs, "how many kernels to try at a time")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--json", asked->json, "write the results as JSON")->type_name("FILE");
  command->footer(kExamples);
  command->callback([asked, &run] { run = [asked] { return selftest(*asked); }; });
}

}  // namespace indexfuzz
