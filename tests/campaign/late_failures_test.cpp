// What becomes of failures that still wait or are looked at when a campaign's time is up.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "../cli/command.h"
#include "campaign/campaign.h"
#include "quiet_listener.h"

namespace indexfuzz {
namespace {

/// Remembers how the campaign stood in the end.
class Last : public QuietListener {
 public:
  void update(const CampaignStatus& status) override { draws_ = status.drawing; }
  void saved(const Finding& finding) override {
    if (finding.verdict.kind == Kind::kHang) drew_when_hang_was_saved = draws_;
  }
  void ended(const CampaignStatus& status) override {
    unexamined = status.unexamined;
    findings = status.findings.size();
  }

  std::uint64_t unexamined = 0;
  std::size_t findings = 0;
  std::optional<bool> drew_when_hang_was_saved;

 private:
  bool draws_ = true;
};

CampaignOptions with_planted_kernels(const Scratch& scratch) {
  CampaignOptions options;
  options.worker.executable = find_worker_executable();
  options.worker.libraries = {planted_library()};
  options.verify = false;
  options.out = scratch / "out";
  return options;
}

/// To look at a hang takes many times the second that the campaign draws; meanwhile the other
/// kernel fails.
CampaignEnd fuzz(const Scratch& scratch, std::chrono::milliseconds examine_after_end, Last& last) {
  CampaignOptions options = with_planted_kernels(scratch);
  options.worker.implementations = {"planted::index_select_hang", "planted::gather_past_output",
                                    "planted::gather_self_contiguous",
                                    "planted::gather_sorts_index"};
  options.jobs = 2;
  options.seed = 3;
  options.timeout = std::chrono::milliseconds(700);
  options.time = std::chrono::milliseconds(1500);
  options.examine_after_end = examine_after_end;
  return run_campaign(options, last);
}

bool is_inconclusive(const CampaignEnd& end) {
  return std::ranges::find(end.reasons, Reason::kInconclusive) != end.reasons.end();
}

TEST(LateFailures, AreLookedAtForAsLongAgainWithinLimits) {
  using namespace std::chrono_literals;
  CampaignOptions options;
  EXPECT_EQ(time_to_examine(options, 5s), 1min);
  EXPECT_EQ(time_to_examine(options, 5min), 5min);
  EXPECT_EQ(time_to_examine(options, 8h), 10min);
  options.examine_after_end = 7s;
  EXPECT_EQ(time_to_examine(options, 8h), 7s);
}

TEST(LateFailures, AreLookedAtWhenTheTimeIsUp) {
  const Scratch scratch;
  Last last;
  const CampaignEnd end = fuzz(scratch, std::chrono::minutes(10), last);
  EXPECT_EQ(last.unexamined, 0);
  EXPECT_GE(last.findings, 4);
  EXPECT_FALSE(is_inconclusive(end));
}

TEST(LateFailures, AreNotWaitedForToStopTheWorkers) {
  const Scratch scratch;
  Last last;
  fuzz(scratch, std::chrono::minutes(10), last);
  EXPECT_EQ(last.drew_when_hang_was_saved, false) << "the time was up while it was examined";
}

TEST(LateFailures, AreLetGoAndToldAfterThat) {
  const Scratch scratch;
  Last last;
  const CampaignEnd end = fuzz(scratch, std::chrono::milliseconds(0), last);
  EXPECT_GE(last.unexamined, 1);
  EXPECT_TRUE(is_inconclusive(end));
  EXPECT_EQ(read_json(scratch / "out/summary.json").at("unexamined"), last.unexamined);
  EXPECT_NE(read_text(scratch / "out/log.jsonl").find("cut off"), std::string::npos);
}

TEST(LateFailures, AreToldAlsoIfTheyComeAfterThat) {
  const Scratch scratch;
  CampaignOptions options = with_planted_kernels(scratch);
  options.worker.implementations = {"planted::index_select_hang"};
  // The call that hangs is met within the time and told for a hang after it.
  options.time = std::chrono::seconds(4);
  options.timeout = std::chrono::seconds(6);
  options.examine_after_end = std::chrono::milliseconds(0);
  Last last;
  const CampaignEnd end = run_campaign(options, last);
  EXPECT_EQ(last.unexamined, 1);
  EXPECT_TRUE(is_inconclusive(end));
}

}  // namespace
}  // namespace indexfuzz
