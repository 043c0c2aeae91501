#pragma once
// summary.json.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "campaign/exit_code.h"
#include "campaign/listener.h"

namespace indexfuzz {

/// What a summary says beside the status.
struct SummaryFrame {
  std::string_view state;  ///< "running", "done"
  int exit_code = 0;
  std::vector<Reason> reasons;
  std::uint64_t seed = 0;
  int jobs = 1;
  std::span<const std::string> operators;   ///< asked for; none: all
  std::span<const std::string> unverified;  ///< CampaignEnd::unverified
};

/// The whole of summary.json.
nlohmann::ordered_json summary_json(const CampaignStatus& status, const SummaryFrame& frame);

}  // namespace indexfuzz
