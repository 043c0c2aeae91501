#pragma once
// What a campaign is asked to do.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/engine.h"
#include "campaign/store/ledger.h"
#include "campaign/workers/worker_process.h"
#include "case/limits.h"

namespace indexfuzz {

/// Filled by whoever runs a campaign, as `fuzz` does from its command line, and checked there:
/// run_campaign() takes every value as it is. Where nothing is said, an empty or missing value
/// means no limit.
struct CampaignOptions {
  std::vector<std::string> notes;  ///< sentences to show at the beginning
  WorkerCommand worker;            ///< what is tested, and the program that runs it
  bool strict = false;             ///< a custom kernel's refusal of a legal case counts
  /// How long cases are drawn.
  std::optional<std::chrono::milliseconds> time;
  /// How long waiting failures are still examined once the time is up; none: as long as the
  /// campaign ran, 1 to 10 minutes.
  std::optional<std::chrono::milliseconds> examine_after_end;
  std::optional<std::uint64_t> cases;                            ///< drawn, over all workers
  std::optional<std::chrono::system_clock::time_point> stop_at;  ///< no case is drawn after it
  std::uint64_t seed = 0;
  int jobs = 1;  ///< workers, 1 to most_jobs()
  /// The user gave --jobs: then all use a GPU too, and a single one draws the same cases each time.
  bool jobs_named = false;
  std::filesystem::path out;        ///< the folder of its Store; made if it is missing
  std::vector<LedgerEntry> ledger;  ///< known failures; their case files are read by the campaign
  std::optional<std::uint64_t> max_findings;  ///< that the ledger does not know
  Limits limits;
  Engines engines = Engines::kProperty;
  std::vector<std::string> fuzzer_flags;  ///< libFuzzer's: "-mutate_depth=3"
  std::filesystem::path seeds;  ///< seeds/<operator>/*.case of the coverage engine; may be empty
  std::chrono::milliseconds timeout{10000};  ///< of one call
  std::string python;                        ///< runs repro.py; may be empty
  bool steering = true;                      ///< cases like known failures become rare
  bool verify = true;                        ///< runs the stand-alone programs of findings
  int findings_code = 77;                    ///< --error-exitcode
  std::optional<std::int64_t> gpu_memory;  ///< bytes, of each GPU; none: a quarter of what is free
  bool mps = false;  ///< several jobs share a GPU through an MPS server, if there is one
};

/// What options.examine_after_end comes to after a campaign of this length.
inline std::chrono::milliseconds time_to_examine(const CampaignOptions& options,
                                                 std::chrono::steady_clock::duration campaign) {
  using namespace std::chrono;
  return options.examine_after_end.value_or(
      duration_cast<milliseconds>(std::clamp<steady_clock::duration>(campaign, 1min, 10min)));
}

}  // namespace indexfuzz
