// Which counter a verdict is counted by.

#include "run/shared/tally.h"

#include <gtest/gtest.h>

#include <utility>

#include "campaign/counts/totals.h"

namespace indexfuzz {
namespace {

TEST(Tally, CountsAVerdictInOnePlace) {
  using Counter = std::uint64_t PairTotals::*;
  const std::pair<Status, Counter> places[] = {{Status::kAgreed, &PairTotals::agreed},
                                               {Status::kVacuous, &PairTotals::vacuous},
                                               {Status::kRefused, &PairTotals::refused},
                                               {Status::kUnsupported, &PairTotals::unsupported},
                                               {Status::kFinding, &PairTotals::findings}};
  for (const bool illegal : {false, true}) {
    for (const auto& [status, counter] : places) {
      // An illegal case agrees by being refused.
      const bool demanded = illegal && status == Status::kAgreed;
      PairTotals totals;
      counter_of(totals, status, illegal) += 1;
      EXPECT_EQ(totals.*(demanded ? &PairTotals::refused : counter), 1u);
      EXPECT_EQ(totals.judged() + skipped(totals), 1u);
    }
  }
}

}  // namespace
}  // namespace indexfuzz
