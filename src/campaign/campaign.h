#pragma once
// A campaign: workers draw and judge, failures become findings, findings are stored and checked.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/engine.h"
#include "campaign/listener.h"
#include "campaign/outcome.h"
#include "campaign/store/ledger.h"
#include "campaign/workers/zygote_client.h"
#include "case/limits.h"

namespace indexfuzz {

struct CampaignOptions {
  WorkerCommand worker;
  bool strict = false;
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::uint64_t> cases;  ///< drawn, over all workers
  std::optional<std::chrono::system_clock::time_point> stop_at;
  std::uint64_t seed = 0;
  int jobs = 1;
  /// By the user: so many use a GPU, too, and a single one draws the same each time.
  bool jobs_named = false;
  std::filesystem::path out;
  std::vector<LedgerEntry> ledger;
  std::optional<std::uint64_t> max_findings;  ///< that the ledger does not know
  Limits limits;
  Engines engines = Engines::kProperty;
  std::vector<std::string> fuzzer_flags;  ///< libFuzzer's: "-mutate_depth=3"
  std::filesystem::path seeds;  ///< seeds/<operator>/*.case of the coverage engine; may be empty
  std::chrono::milliseconds timeout{10000};
  std::string python;                      ///< runs repro.py; may be empty
  bool verify = true;                      ///< runs the stand-alone programs of findings
  int findings_code = 77;                  ///< --error-exitcode
  std::optional<std::int64_t> gpu_memory;  ///< bytes, of each GPU; none: a quarter of what is free
  bool mps = false;  ///< several jobs share a GPU through an MPS server, where there is one
};

struct CampaignEnd {
  int exit_code = 0;
  std::vector<Reason> reasons;
  std::string error;                    ///< one sentence where something broke
  std::vector<std::string> unverified;  ///< what made it inconclusive
};

/// Runs until its time, its cases or its findings are reached, or a signal came. With one job that
/// was named and a number of cases, the same seed gives the same findings. Throws SetupError where
/// it could not begin.
CampaignEnd run_campaign(const CampaignOptions& options, CampaignListener& listener);

}  // namespace indexfuzz
