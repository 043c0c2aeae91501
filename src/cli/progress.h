#pragma once
// What a campaign prints to a terminal or a log file.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/listener.h"

namespace indexfuzz {

/// Prints to stderr: one live line on a terminal, or one plain line every 10 s elsewhere; and a
/// line for each finding. Prints the closing screen to stdout. What cannot be printed is lost.
class Progress : public CampaignListener {
 public:
  /// `folder`, `operators`, `seed`, `strict`: for the closing screen.
  Progress(std::filesystem::path folder, std::vector<std::string> operators, std::uint64_t seed,
           bool strict);

  void update(const CampaignStatus& status) override;
  void saved(const Finding& finding) override;
  void met_again(const Finding& finding) override;
  void checked(const Finding& finding, const std::string& note) override;
  void ended(const CampaignStatus& status) override;
  void note(const std::string& sentence) override;
  /// Sets the first line. It is printed at the first update(): a campaign that cannot begin prints
  /// only the reason.
  void opening(std::string sentence) { opening_ = std::move(sentence); }

 private:
  void line(const std::string& text);
  void announce(std::string_view what, const Finding& finding);
  std::string known_as(const Finding& finding);
  void clear_live_line();

  std::filesystem::path folder_;
  std::vector<std::string> operators_;
  std::uint64_t seed_;
  bool strict_;
  std::string opening_;
  bool terminal_;
  bool live_ = false;
  std::set<std::string> told_reasons_;  ///< the ledger's reasons that were already printed
  std::chrono::steady_clock::time_point shown_{};
  double rate_from_seconds_ = 0;
  std::uint64_t rate_from_cases_ = 0;
};

}  // namespace indexfuzz
