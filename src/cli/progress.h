#pragma once
// A campaign as a person at a terminal, or a log file, sees it.

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "campaign/listener.h"

namespace indexfuzz {

/// One live line on a terminal, one plain line every 10 s elsewhere; a line for each finding. On
/// stderr.
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
  /// The first line of a campaign that could begin: what cannot begin says only why.
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
  std::set<std::string> told_reasons_;  ///< why known findings are known
  std::chrono::steady_clock::time_point shown_{};
  double rate_from_seconds_ = 0;
  std::uint64_t rate_from_cases_ = 0;
};

/// The last screen, on stdout: what was verified, what was found, where it lies. `strict`: a custom
/// kernel that refused a legal case was a finding.
void print_closing(const CampaignStatus& status, const std::filesystem::path& folder,
                   const std::vector<std::string>& operators, std::uint64_t seed, bool strict);

}  // namespace indexfuzz
