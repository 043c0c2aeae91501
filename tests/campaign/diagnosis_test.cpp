#include "campaign/programs/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Shown kRight = Shown::kRight, kWrong = Shown::kWrong, kCannotTell = Shown::kCannotTell;
using State = ToolRun::State;

ToolRun bare(const std::string& name, Shown shown, Setting setting) {
  return {name, State::kRan, shown, {"printed"}, name + ".log", setting};
}
ToolRun tool(const std::string& name, Shown shown, const std::string& says) {
  return {name, State::kRan, shown, {says, "more"}, name + ".log", {}};
}

/// The bare runs on a CPU of a case with one thread.
std::vector<ToolRun> on_cpu(Shown plain, Shown four, Shown no_vectors) {
  return {bare("plain", plain, {}), bare("four-threads", four, {4}),
          bare("no-vectors", no_vectors, {1, false})};
}

TEST(Diagnosis, SaysWhatAllWrongRunsHaveAndNoRightOne) {
  const auto of = [](const std::vector<ToolRun>& runs) { return conclusion(runs, false); };
  EXPECT_THAT(of(on_cpu(kRight, kWrong, kRight)),
              ElementsAre("wrong in 1 of 3: only with several threads"));
  EXPECT_THAT(of(on_cpu(kWrong, kRight, kWrong)),
              ElementsAre("wrong in 2 of 3: only with one thread"));
  EXPECT_THAT(of(on_cpu(kWrong, kWrong, kRight)),
              ElementsAre("wrong in 2 of 3: only with wide vector instructions"));
  EXPECT_THAT(of(on_cpu(kRight, kRight, kWrong)),
              ElementsAre("wrong in 1 of 3: only without wide vector instructions"));
  EXPECT_THAT(of({bare("plain", kWrong, {}), bare("blocking", kRight, {1, true, true})}),
              ElementsAre("wrong in 1 of 2: only where no launch is waited for"));
  EXPECT_THAT(of({bare("plain", kRight, {}), bare("blocking", kWrong, {1, true, true})}),
              ElementsAre("wrong in 1 of 2: only where each launch is waited for"));
}

TEST(Diagnosis, NamesTheWrongRunsThatNothingElseSetsApart) {
  EXPECT_THAT(conclusion(on_cpu(kWrong, kRight, kRight), false),
              ElementsAre("wrong in 1 of 3: only in plain"));
  EXPECT_THAT(conclusion(on_cpu(kRight, kWrong, kWrong), false),
              ElementsAre("wrong in 2 of 3: only in four-threads, no-vectors"));
}

TEST(Diagnosis, SaysThatAllAreAlikeOrCannotTell) {
  EXPECT_THAT(conclusion(on_cpu(kWrong, kWrong, kWrong), false),
              ElementsAre("wrong in all 3 runs"));
  EXPECT_THAT(conclusion(on_cpu(kRight, kRight, kCannotTell), false),
              ElementsAre("right in all 2 runs (1 cannot tell)"));
  EXPECT_THAT(conclusion(on_cpu(kCannotTell, kWrong, kCannotTell), false),
              ElementsAre("wrong in the one run that tells (2 cannot tell)"));
  const auto untold = on_cpu(kCannotTell, kCannotTell, kCannotTell);
  EXPECT_THAT(conclusion(untold, false), ElementsAre("no run of the program can tell"));
  EXPECT_FALSE(any_conclusive(untold));
  EXPECT_TRUE(any_conclusive(on_cpu(kCannotTell, kRight, kCannotTell)));
  EXPECT_THAT(conclusion({}, false), IsEmpty());
}

TEST(Diagnosis, SkippedRunsTellNothing) {
  std::vector<ToolRun> runs = on_cpu(kWrong, kCannotTell, kWrong);
  runs[1].state = State::kSkipped;
  EXPECT_THAT(conclusion(runs, false), ElementsAre("wrong in all 2 runs"));
}

TEST(Diagnosis, SaysThatOneRunOfAnIntermittentCaseIsNoProof) {
  EXPECT_THAT(conclusion(on_cpu(kRight, kWrong, kRight), true),
              ElementsAre("wrong in 1 of 3: only with several threads",
                          "it fails now and then, so that one run of each is no proof"));
}

TEST(Diagnosis, OfEachToolThatTellsTheFirstThing) {
  ToolRun racecheck = tool("racecheck", kWrong, "no fault; the program's result: wrong");
  ToolRun synccheck = tool("synccheck", kRight, "no fault; the program's result: right");
  racecheck.saw_no_fault = synccheck.saw_no_fault = true;
  const std::vector<ToolRun> runs{bare("plain", kWrong, {}), racecheck,
                                  tool("memcheck", kWrong, "Invalid read in f"), synccheck,
                                  tool("gdb", kCannotTell, "it did not see the program end")};
  EXPECT_THAT(conclusion(runs, false),
              ElementsAre("wrong in the one run that tells", "memcheck: Invalid read in f",
                          "no fault seen by racecheck, synccheck"));
}

}  // namespace
}  // namespace indexfuzz
