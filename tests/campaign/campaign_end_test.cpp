#include "campaign/campaign_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/examine/finding.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A campaign of a minute with one kernel that has gather and take.
struct Unverified : testing::Test {
  Unverified() {
    status.seconds = 60;
    status.hello = &hello;
    for (const char* const op : {"gather", "take"})
      hello.implementations[0].forms.push_back({.op = find_operator(op)->number});
    status.totals.implementations.resize(2);
    totals("gather").agreed = totals("take").agreed = 1;
  }
  PairTotals& totals(std::string_view op, std::size_t implementation = 0) {
    return status.totals.implementations[implementation][place_of(find_operator(op)->number)];
  }
  std::vector<std::string> names() const {
    return unverified(status, {.implementations = {"mine"}}, false);
  }

  Hello hello{.implementations = {{.name = "mine::x"}}};
  CampaignStatus status;
};

TEST_F(Unverified, WhatAgreedIs) {
  EXPECT_THAT(names(), IsEmpty());
  totals("take").agreed = 0;
  EXPECT_THAT(names(), ElementsAre("take of mine::x"));
  totals("gather").agreed = 0;
  EXPECT_THAT(names(), ElementsAre("mine::x"));
}

TEST_F(Unverified, AFindingSpeaksForItsOperatorAlone) {
  Finding finding;
  finding.minimal.op = find_operator("gather")->number;
  status.findings = {&finding};
  totals("gather") = {.findings = 3};
  totals("take") = {.findings = 1};
  EXPECT_THAT(names(), ElementsAre("take of mine::x")) << "its failure never showed again";
  finding.repro_py = Verified::kPasses;
  EXPECT_THAT(names(), ElementsAre("mine::x")) << "withdrawn";
}

TEST_F(Unverified, AProgramThatPassesWithdrawsWhatFailsEachTimeOrBecauseTheMachineIsBusy) {
  Finding finding;
  finding.verdict = indexfuzz::finding(Kind::kValue, -1, "wrong");
  finding.repro_py = finding.repro_cpp = Verified::kPasses;
  finding.reruns = {10, 10};
  EXPECT_TRUE(withdrawn(finding));
  finding.reruns.failed = 3;
  EXPECT_FALSE(withdrawn(finding)) << "a race need not show in the program";
  EXPECT_TRUE(is_new(finding));
  finding.verdict.kind = Kind::kHang;
  EXPECT_TRUE(withdrawn(finding));
}

TEST_F(Unverified, WhatIsKnownToFailOnEveryCaseIsNot) {
  totals("take") = {.steered = 5};
  EXPECT_THAT(names(), IsEmpty());
  totals("take").findings = 1;
  EXPECT_THAT(names(), ElementsAre("take of mine::x"))
      << "it ran, and its failure never showed again";
}

TEST_F(Unverified, AKernelForTheGpuAloneIsToldHowToNameIt) {
  hello.implementations.push_back({.name = "mine::x@cuda", .device = "cuda:0"});
  hello.implementations[1].forms = hello.implementations[0].forms;
  for (const char* const op : {"gather", "take"}) totals(op, 1) = std::exchange(totals(op), {});
  EXPECT_THAT(names(), ElementsAre("mine::x (--impl mine::x@cuda tests its GPU side alone)"));
}

/// Of the same campaign, in which all was verified.
struct EndOf : Unverified {
  CampaignEnd end(bool interrupted = false) const {
    return end_of(status, options, interrupted, broken);
  }
  CampaignOptions options;
  Broken broken;
};

TEST_F(EndOf, NothingHasNoReason) {
  EXPECT_THAT(end().reasons, IsEmpty());
  EXPECT_EQ(end().exit_code, 0);
  status.cut_off = 1;
  EXPECT_EQ(end().exit_code, 0) << "whoever ended the examination knows that";
}

TEST_F(EndOf, WhatIsLeftOpenIsInconclusive) {
  for (std::uint64_t CampaignStatus::*count :
       {&CampaignStatus::elusive, &CampaignStatus::untracked, &CampaignStatus::unlocated,
        &CampaignStatus::unexamined}) {
    status.*count = 1;
    EXPECT_THAT(end().reasons, ElementsAre(Reason::kInconclusive));
    EXPECT_EQ(end().exit_code, 3);
    status.*count = 0;
  }
  totals("take").agreed = 0;
  EXPECT_THAT(end().unverified, ElementsAre("take of mine::x"));
  EXPECT_THAT(end(true).reasons, ElementsAre(Reason::kInconclusive, Reason::kInterrupted));
  EXPECT_EQ(end(true).exit_code, 3);
}

TEST_F(EndOf, OnlyNewFindingsCount) {
  Finding finding;
  finding.minimal.op = find_operator("gather")->number;
  finding.known = true;
  status.findings = {&finding};
  EXPECT_EQ(end().exit_code, 0);
  finding.known = false;
  options.findings_code = 1;
  EXPECT_THAT(end().reasons, ElementsAre(Reason::kNew));
  EXPECT_EQ(end().exit_code, 1);
}

TEST_F(EndOf, WhatBrokeItOffIsSaidWithTheTroubleOfTheStore) {
  broken = {Reason::kDevice, "The GPU was lost.", "The disk is full."};
  EXPECT_THAT(end().reasons, ElementsAre(Reason::kDevice, Reason::kStorage));
  EXPECT_EQ(end().error, "The GPU was lost. The disk is full.");
  EXPECT_EQ(end().exit_code, 75);
  broken = {Reason::kStorage, "The disk is full.", "The disk is full."};
  EXPECT_THAT(end().reasons, ElementsAre(Reason::kStorage));
  EXPECT_EQ(end().error, "The disk is full.");
}

}  // namespace
}  // namespace indexfuzz
