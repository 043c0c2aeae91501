#pragma once
// Reads a summary.json of unknown origin.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/counts/campaign_counts.h"

namespace indexfuzz {

/// The value of "format" that is written and read.
inline constexpr int kSummaryFormat = 1;

/// A row of "findings".
struct SummaryFinding {
  std::string id, signature, reruns;
  bool known = false;
  bool withdrawn = false;
  std::int64_t elements = 0;
  double first_seconds = 0;
};

/// What the subcommands need of it; a missing field is empty or 0.
struct Summary : CampaignCounts {
  std::string state, torch;
  double seconds = 0, cases_per_second = 0, steered_share = 0;
  std::uint64_t cases = 0, seed = 0, steered = 0;
  int exit_code = 0;
  std::vector<std::string> reasons, unverified;
  std::vector<SummaryFinding> findings;
  nlohmann::ordered_json json;  ///< all of it
};

/// Throws SetupError if the folder holds no summary.json, or one that is damaged or of another
/// format.
Summary read_summary(const std::filesystem::path& folder);
/// As read_summary(), for the text of such a file; `file` is for messages.
Summary parse_summary(std::string_view text, const std::filesystem::path& file);

}  // namespace indexfuzz
