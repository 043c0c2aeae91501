#include "campaign/campaign_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/examine/finding.h"
#include "ops/operator.h"

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
  finding.repro_py = Verified::kRight;
  EXPECT_THAT(names(), ElementsAre("mine::x")) << "withdrawn";
}

TEST_F(Unverified, AKernelForTheGpuAloneIsToldHowToNameIt) {
  hello.implementations.push_back({.name = "mine::x@cuda", .device = "cuda:0"});
  hello.implementations[1].forms = hello.implementations[0].forms;
  for (const char* const op : {"gather", "take"}) totals(op, 1) = std::exchange(totals(op), {});
  EXPECT_THAT(names(), ElementsAre("mine::x (--impl mine::x@cuda tests its GPU side alone)"));
}

}  // namespace
}  // namespace indexfuzz
