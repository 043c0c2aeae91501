#include <fmt/format.h>
#include <signal.h>
#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>

#include "campaign/campaign.h"
#include "campaign/failure.h"
#include "campaign/programs/toolchain.h"
#include "campaign/temporary_folder.h"
#include "case/strings/counted.h"
#include "cli/commands.h"
#include "cli/error_exitcode.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "cli/summary_text.h"
#include "cli/under_test.h"
#include "ops/repair/taken_dtypes.h"

namespace indexfuzz {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  indexfuzz fuzz                                             everything there is, for a "
    "minute\n"
    "  indexfuzz fuzz index_put gather --time 8h --out night      two operators overnight\n"
    "  indexfuzz fuzz gather --load ./libmine.so --impl mine::gather\n"
    "  indexfuzz fuzz --cases 1e6 --jobs 1 --seed 7               the same cases and findings each "
    "time\n"
    "Limits of one call: the time of --timeout, 512 MiB of memory beyond what its process already "
    "holds, 8 MiB of stack.\n"
    "Exit codes: 0 nothing new, 77 a new finding, 3 something asked for was not verified, 1 usage "
    "or set-up,\n"
    "69 the GPU is missing or was lost, 72 interrupted, 75 a finding could not be stored.";

constexpr std::chrono::milliseconds kDefaultTime{60000};

struct Asked {
  std::vector<std::string> operators, fuzzer_flags;
  UnderTest under_test;
  LedgerChoice ledger;
  std::optional<std::string> time, cases, seed, max_findings, dtypes, stop_at, python, out,
      gpu_memory;
  std::string engine = "property";  // finds the planted bugs too, and repeats with the same seed
  std::optional<int> jobs;
  ErrorExitcode error_exitcode;
  bool no_verify = false;
  bool mps = false;
  bool native_coverage = false;
  bool legal_only = false;
  bool one_thread = false;
  bool no_steering = false;
};

void declare_extent(CLI::App& command, Asked& asked) {
  command
      .add_option("--time", asked.time,
                  "how long to draw cases: 90s, 10m, 8h; default: 60s, unless --cases or --stop-at "
                  "is given. After that, failures are examined for as long again if necessary (at "
                  "least 1 and at most 10 minutes)")
      ->type_name("TIME");
  command.add_option("--stop-at", asked.stop_at, "stop at this time: 2026-05-01T08:00:00Z")
      ->type_name("RFC3339");
  command.add_option("--cases", asked.cases, "how many cases to draw: 100000, 1e6")->type_name("N");
  command
      .add_option("--max-findings", asked.max_findings,
                  "stop after N findings that the ledger does not know")
      ->type_name("N");
  command.add_option("--seed", asked.seed, "seed for everything that is drawn; default: random")
      ->type_name("N");
}

void declare_drawing(CLI::App& command, Asked& asked) {
  command
      .add_option("--engine", asked.engine,
                  "what draws the cases: property, coverage (libFuzzer) or both; or, for "
                  "comparison, random (libFuzzer mutating plain bytes)")
      ->type_name("ENGINE")
      ->capture_default_str();
  command
      .add_option("--libfuzzer", asked.fuzzer_flags,
                  "flag for libFuzzer, such as -mutate_depth=3, for the coverage engine; all "
                  "arguments after `--` are such flags, too")
      ->type_name("FLAG");
  command
      .add_option("--dtypes", asked.dtypes,
                  "only these dtypes of values: float32,int64 (see `indexfuzz list dtypes`)")
      ->type_name("LIST");
  command.add_flag("--legal-only", asked.legal_only,
                   "draw no illegal cases: for a kernel that does not check its arguments");
  command.add_flag("--one-thread", asked.one_thread,
                   "let PyTorch use one thread, as for the speed of one core; by default workers "
                   "take turns with 1, 4 and 9");
  command.add_flag(
      "--no-steering", asked.no_steering,
      "draw cases that are similar to known failures as often as others; by default at most 1 % of "
      "the cases are, and hardly any if each costs a process or the time limit");
  command.add_flag("--native-coverage", asked.native_coverage,
                   "observe which basic blocks of LibTorch's indexing code are reached");
}

void declare_processes(CLI::App& command, Asked& asked) {
  command
      .add_option(
          "--jobs", asked.jobs,
          fmt::format("number of worker processes, of which each calls everything, at most {}; "
                      "default: one per core or, where a GPU is tested, one per GPU (with --mps "
                      "eight) for what is on it and one per two cores for what is on the CPU",
                      most_jobs()))
      ->type_name("N");
  command
      .add_option("--gpu-memory", asked.gpu_memory,
                  "how much memory the campaign may take on each GPU: 8GiB; default: a quarter of "
                  "what is free")
      ->type_name("BYTES");
  command.add_flag("--mps", asked.mps,
                   "let several jobs share a GPU through an MPS server of their own instead of "
                   "taking turns: faster, but a fault of one job ends them all");
}

void declare_results(CLI::App& command, Asked& asked) {
  command
      .add_option("--out", asked.out,
                  "folder in which everything is kept; default: indexfuzz-out/TIME")
      ->type_name("DIR");
  asked.ledger.add_to(command);
  command.add_option("--python", asked.python, "a Python with torch, to check repro.py with")
      ->type_name("PY");
  command.add_flag("--no-verify", asked.no_verify,
                   "do not run the stand-alone programs of findings");
  asked.error_exitcode.add_to(command);
}

void declare(CLI::App& command, Asked& asked) {
  command.add_option("OPERATOR", asked.operators,
                     "operators to test (see `indexfuzz list operators`); default: all");
  asked.under_test.add_to(command);
  declare_extent(command, asked);
  declare_drawing(command, asked);
  declare_processes(command, asked);
  declare_results(command, asked);
}

// These make libFuzzer do something other than the job of a worker.
constexpr std::string_view kOtherJobs[] = {"-fork",
                                           "-help",
                                           "-jobs",
                                           "-merge",
                                           "-minimize_crash",
                                           "-cleanse_crash",
                                           "-set_cover_merge",
                                           "-runs",
                                           "-ignore_remaining_args",
                                           "-workers",
                                           "-analyze_dict",
                                           "-max_total_time",
                                           "-stop_file"};

void check_fuzzer_flags(const CampaignOptions& options) {
  if (!options.fuzzer_flags.empty() && options.engines == Engines::kProperty)
    throw SetupError("flags of libFuzzer need --engine coverage or both.");
  for (const std::string& flag : options.fuzzer_flags) {
    const std::string name = flag.substr(0, flag.find('='));
    const bool is_flag =
        flag.starts_with("-") && name.size() < flag.size() && flag.find('\n') == std::string::npos;
    if (!is_flag || std::ranges::find(kOtherJobs, name) != std::end(kOtherJobs)) {
      throw SetupError(
          fmt::format("'{}' cannot be passed to libFuzzer: flags have the form -NAME=VALUE and "
                      "must not change the way it runs.",
                      flag));
    }
  }
}

std::uint64_t random_seed() {
  std::uint32_t seed = 0;
  (void)!getrandom(&seed, sizeof seed, 0);
  return seed;
}

std::string fresh_folder() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  const std::string base = fmt::format("indexfuzz-out/{}", text);
  std::string folder = base;
  for (int i = 2; std::filesystem::exists(folder); ++i) folder = fmt::format("{}-{}", base, i);
  return folder;
}

/// The operators of `named` (of all, if empty) whose values can have one of the dtypes; empty for
/// all operators. Throws SetupError if one of `named` takes none of the dtypes.
std::vector<std::string> operators_taking(DtypeSet dtypes, const std::vector<std::string>& named) {
  const std::vector<std::string> all = operator_names();
  std::vector<std::string> taking;
  for (const std::string& name : named.empty() ? all : named) {
    if (takes_any(*find_operator(name), dtypes))
      taking.push_back(name);
    else if (!named.empty())
      throw SetupError(fmt::format("{} takes none of the dtypes of --dtypes.", name));
  }
  return taking.size() == all.size() ? named : taking;
}

/// Throws SetupError.
void set_jobs(std::optional<int> asked, CampaignOptions& options) {
  const int most = most_jobs();
  if (asked && (*asked < 1 || *asked > most))
    throw SetupError(
        fmt::format("--jobs takes 1 to {}: a campaign has no more worker processes.", most));
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.jobs_named = asked.has_value();
  options.jobs = asked.value_or(std::min(cores, most));
  if (!asked && cores > most)
    options.notes.push_back(
        fmt::format("{} jobs are run on {} cores, since a campaign has no more worker processes.",
                    most, cores));
}

CampaignOptions options_of(const Asked& asked) {
  check_operators(asked.operators);
  CampaignOptions options;
  set_jobs(asked.jobs, options);
  options.engines = parse_engines(asked.engine);
  options.fuzzer_flags = asked.fuzzer_flags;
  check_fuzzer_flags(options);
  options.seeds = std::filesystem::path(corpus_folder()) / "seeds";
  if (asked.dtypes) options.limits.dtypes = parse_dtypes(*asked.dtypes);
  options.worker =
      asked.under_test.worker(operators_taking(options.limits.dtypes, asked.operators));
  options.worker.native_coverage = asked.native_coverage;
  if (options.worker.contract != nullptr)
    options.limits.contract = &options.worker.contract->contract;
  if (!asked.under_test.libraries.empty() && asked.under_test.implementations.empty()) {
    options.notes.push_back(
        "a loaded library is tested only if it is named: --impl NAMESPACE tests its kernels.");
  }
  options.strict = asked.under_test.strict;
  options.timeout = parse_duration(asked.under_test.timeout);
  if (asked.time) options.time = parse_duration(*asked.time);
  if (asked.cases) options.cases = parse_count(*asked.cases);
  if (asked.stop_at) options.stop_at = parse_rfc3339(*asked.stop_at);
  if (asked.max_findings) options.max_findings = parse_count(*asked.max_findings);
  if (options.max_findings == 0)
    throw SetupError(
        "--max-findings takes 1 or more; without it a campaign never stops for a finding.");
  options.limits.illegal = !asked.legal_only;
  options.limits.several_threads = !asked.one_thread;
  if (!options.time && !options.cases && !options.stop_at) options.time = kDefaultTime;
  options.seed = asked.seed ? parse_count(*asked.seed) : random_seed();
  options.ledger = asked.ledger.read();
  if (asked.out && asked.out->empty()) throw SetupError("--out is empty; name a folder.");
  options.out = asked.out ? *asked.out : fresh_folder();
  options.python = asked.python ? *asked.python : default_python();
  options.verify = !asked.no_verify;
  options.steering = !asked.no_steering;
  // The programs of findings are compiled in a temporary folder: fail now if none can be made.
  if (options.verify) const TemporaryFolder tried("indexfuzz");
  if (asked.gpu_memory) options.gpu_memory = parse_bytes(*asked.gpu_memory);
  options.mps = asked.mps;
  options.findings_code = asked.error_exitcode.code();
  return options;
}

int fuzz(const Asked& asked) {
  signal(SIGPIPE, SIG_IGN);  // a campaign goes on when nobody reads what it prints
  const CampaignOptions options = options_of(asked);
  Progress screen(options.out, asked.operators, options.seed, options.strict);
  screen.opening(fmt::format("seed {}, {}, keeping everything in {}", options.seed,
                             plural(static_cast<std::uint64_t>(options.jobs), "job"),
                             options.out.string()));
  const CampaignEnd end = run_campaign(options, screen);
  std::fflush(stdout);
  if (!end.unverified.empty()) screen.note("indexfuzz: " + nothing_verified(end.unverified));
  if (!end.error.empty()) screen.note(fmt::format("indexfuzz: {}", end.error));
  return end.exit_code;
}

}  // namespace

void add_fuzz(CLI::App& program, Run& run) {
  CLI::App* command =
      program.add_subcommand("fuzz", "run a campaign: draw cases, judge, save what fails");
  auto asked = std::make_shared<Asked>();
  declare(*command, *asked);
  command->footer(kExamples);
  command->callback([asked, &run] { run = [asked] { return fuzz(*asked); }; });
}

}  // namespace indexfuzz
