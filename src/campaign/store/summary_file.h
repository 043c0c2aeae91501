#pragma once
// Reads a summary.json of unknown origin.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace indexfuzz {

/// A row of "findings".
struct SummaryFinding {
  std::string id, signature, reruns;
  bool known = false;
  bool withdrawn = false;
  std::int64_t elements = 0;
  double first_seconds = 0;
};

/// What the subcommands need of it; a missing field is empty or 0.
struct Summary {
  std::string state, torch;
  double seconds = 0, cases_per_second = 0, steered_share = 0;
  std::uint64_t cases = 0, seed = 0, unconfirmed = 0, unlocated = 0, unexamined = 0, elusive = 0,
                untracked = 0, cut_off = 0, worker_deaths = 0, steered = 0;
  int exit_code = 0;
  std::vector<std::string> reasons, unverified;
  std::vector<SummaryFinding> findings;
  nlohmann::ordered_json json;  ///< all of it
};

/// Failures and processes that a campaign counts, by their keys in summary.json.
struct SummaryCounter {
  const char* key;
  std::uint64_t Summary::*count;
};
inline constexpr SummaryCounter kSummaryCounters[] = {
    {"unconfirmed", &Summary::unconfirmed},    {"unlocated", &Summary::unlocated},
    {"unexamined", &Summary::unexamined},      {"elusive", &Summary::elusive},
    {"untracked", &Summary::untracked},        {"cut_off", &Summary::cut_off},
    {"worker_deaths", &Summary::worker_deaths}};

/// Throws SetupError if the folder holds no summary.json, or one that is damaged or of another
/// format.
Summary read_summary(const std::filesystem::path& folder);
/// As read_summary(), for the text of such a file; `file` is for messages.
Summary parse_summary(std::string_view text, const std::filesystem::path& file);

}  // namespace indexfuzz
