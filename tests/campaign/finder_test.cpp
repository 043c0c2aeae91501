// Findings of implementations on GPUs, which spare processes run over and over: here on the CPU, by
// an implementation that is only said to be on a GPU.

#include "campaign/examine/finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cli/command.h"
#include "../written_case.h"
#include "campaign/workers/spares.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kOffsetIgnored = "planted::index_select_offset_ignored";

class FinderTest : public testing::Test {
 protected:
  explicit FinderTest(const std::string& kernel = kOffsetIgnored) : options_(options(kernel)) {}
  explicit FinderTest(CampaignOptions options) : options_(std::move(options)) {}
  static CampaignOptions options(const std::string& kernel) {
    CampaignOptions options;
    options.worker.executable = find_worker_executable();
    options.worker.libraries = {planted_library()};
    options.worker.implementations = {kernel};
    options.worker.operators = {"index_select"};
    return options;
  }
  const Hello& said_to_be_on_a_gpu() {
    const Hello& hello = zygote_.hello();
    const_cast<Hello&>(hello).implementations.front().device = "cuda:0";
    return hello;
  }
  Suspect suspect(const Case& c) {
    const auto verdicts = on_spares_.run_in_one_process({&c, 1}, {});
    EXPECT_EQ(verdicts.size(), 1u);
    Suspect failing;
    failing.c = c;
    if (!verdicts.empty()) failing.verdict = verdicts.front();
    return failing;
  }
  Scratch scratch_;
  CampaignOptions options_;
  ZygoteClient zygote_{options_.worker, 12};
  Spares spares_{(said_to_be_on_a_gpu(), zygote_), {0, 2}, 0};
  Runner on_spares_{zygote_, spares_, false, [this] {
                      spares_.refill();
                      return false;
                    }};
  bool interrupted_ = false;
  Runner in_children_{zygote_, {2, 9}, false, [this] { return interrupted_; }};
  Finder finder_{zygote_, in_children_, &on_spares_, options_};
  Store store_{scratch_ / "out"};
};

TEST_F(FinderTest, WhatSparesAndAFreshProcessShowIsAFinding) {
  const Suspect failing = suspect(written(
      "index_select functional\nself float32 (6, 4) offset=3\nindex int64 (3) fill=last\n"));
  ASSERT_EQ(failing.verdict.status, Status::kFinding);
  const Finding* const finding = finder_.examine(failing, store_);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->reruns.failed, 10);
  EXPECT_EQ(finding->reruns.runs, 10);
  EXPECT_THAT(finding->signature.text, HasSubstr("self has a storage offset"));
  EXPECT_EQ(finder_.examine(failing, store_), nullptr) << "the second time it is known";
}

/// The ledger lists the kernel's failure twice: by a case that fails, and by one that does not.
class FinderWithLedger : public FinderTest {
 protected:
  FinderWithLedger() : FinderTest(options()) {}
  static CampaignOptions options() {
    static const Scratch scratch;
    const std::string begin = "indexfuzz case 1\nindex_select functional\nself float32 (6, 4) ",
                      signature =
                          std::string("index_select on ") + kOffsetIgnored + ": value; when ";
    const std::string ledger = scratch.write(
        "ledger.toml",
        ledger_entry(
            signature + "self has a storage offset",
            scratch.write("right.case", begin + "offset=3\nindex int64 (0) fill=first\n")) +
            ledger_entry(signature + "self is permuted, self has a storage offset",
                         scratch.write("wrong.case", begin + "order=(1, 0) offset=3\n"
                                                             "index int64 (3) fill=last\n")));
    CampaignOptions options = FinderTest::options(kOffsetIgnored);
    options.ledger = read_ledger(ledger);
    return options;
  }
};

TEST_F(FinderWithLedger, ASuspectIsRecognizedOnlyIfTheListedCaseFails) {
  const Finding* const examined = finder_.examine(
      suspect(written(
          "index_select functional\nself float32 (6, 4) offset=3\nindex int64 (3) fill=last\n")),
      store_);
  ASSERT_NE(examined, nullptr);
  EXPECT_GT(examined->reruns.runs, 1) << "the listed case is right";
  EXPECT_EQ(numel(examined->minimal.operands[1].shape), 1);
}

TEST_F(FinderWithLedger, WhatFailsAsListedIsNotExamined) {
  const Finding* const recognized =
      finder_.examine(suspect(written("index_select functional\nself float32 (6, 4) order=(1, 0) "
                                      "offset=3\nindex int64 (3) fill=last\n")),
                      store_);
  ASSERT_NE(recognized, nullptr);
  EXPECT_EQ(recognized->reruns.runs, 1);
  EXPECT_TRUE(recognized->known);
}

TEST_F(FinderTest, WhatIsNotKnownIsKeptThoughItsShrinkingIsCutOff) {
  const Suspect failing = suspect(written(
      "index_select functional\nself float32 (6, 4) offset=3\nindex int64 (3) fill=last\n"));
  ASSERT_EQ(failing.verdict.status, Status::kFinding);
  interrupted_ = true;
  EXPECT_NE(finder_.examine(failing, store_), nullptr);
}

TEST_F(FinderTest, WhatIsBeyondTheSilencedFailuresIsLetGoUntilOneIsDropped) {
  Suspect failing = suspect(written(
      "index_select functional\nself float32 (6, 4) offset=3\nindex int64 (3) fill=last\n"));
  ASSERT_EQ(failing.verdict.status, Status::kFinding);
  SilencedFailures silenced(zygote_.memory().silenced);
  for (std::uint64_t key = 1; !silenced.full(); ++key) silenced.add(key, {});
  EXPECT_FALSE(finder_.note(failing));
  EXPECT_EQ(finder_.met().untracked(), 1u);
  EXPECT_EQ(finder_.examine(failing, store_), nullptr) << "as of a batch, which nobody notes";
  EXPECT_EQ(finder_.met().untracked(), 2u);
  EXPECT_EQ(finder_.met().duplicates(), 0u);

  silenced.drop(7);
  EXPECT_TRUE(finder_.note(failing));
  EXPECT_NE(finder_.examine(failing, store_), nullptr) << "it has the last place itself";
  EXPECT_EQ(finder_.met().untracked(), 2u);
}

TEST_F(FinderTest, OfOneKeyAFewWaitAndTheOthersAreLetGo) {
  const auto failing = [](const char* layout) {
    Suspect suspect;
    suspect.c = written(std::string("index_select functional\nself float32 (6, 4) ") + layout +
                        "\nindex int64 (3) fill=last\n");
    suspect.verdict = finding(Kind::kValue, -1, "2 wrong elements");
    return suspect;
  };
  Suspect first = failing("offset=3"), second = failing("order=(1, 0)"),
          third = failing("step=(2, 1)");
  for (Suspect* const suspect : {&first, &second}) EXPECT_TRUE(finder_.note(*suspect));
  EXPECT_FALSE(finder_.note(third));
  Suspect of_another_kind = failing("after=(0, 2)");
  of_another_kind.verdict = finding(Kind::kMemory, -1, "wrote outside");
  EXPECT_TRUE(finder_.note(of_another_kind));

  finder_.abandon(first);
  EXPECT_TRUE(finder_.note(third));
  Suspect again = failing("offset=3");
  EXPECT_FALSE(finder_.note(again));
  for (Suspect* const suspect : {&second, &third}) finder_.abandon(*suspect);
  EXPECT_TRUE(finder_.note(again));
}

/// A case that is right, said to fail in the way of `failing`: no re-run shows it.
Suspect never_again(Suspect failing) {
  failing.c = written("index_select functional\nself float32 (6, 4)\nindex int64 (3) fill=last\n");
  return failing;
}

TEST_F(FinderTest, WhatShowsAtLastExplainsWhatDidNotShowAgain) {
  const Suspect failing = suspect(written(
      "index_select functional\nself float32 (6, 4) offset=3\nindex int64 (3) fill=last\n"));
  ASSERT_EQ(failing.verdict.status, Status::kFinding);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(finder_.examine(never_again(failing), store_), nullptr);
  EXPECT_EQ(finder_.met().unconfirmed(), 3u);
  EXPECT_EQ(finder_.met().elusive(), 1u);
  EXPECT_NE(finder_.examine(failing, store_), nullptr);
  EXPECT_EQ(finder_.met().unconfirmed(), 0u);
  EXPECT_EQ(finder_.met().elusive(), 0u);
}

TEST_F(FinderTest, WhatTheLedgerListsExplainsWhatDidNotShowAgain) {
  Suspect failing = suspect(written(
      "index_select functional\nself float32 (6, 4) offset=3\nindex int64 (3) fill=last\n"));
  ASSERT_EQ(failing.verdict.status, Status::kFinding);
  const Finding* const found = finder_.examine(failing, store_);
  ASSERT_NE(found, nullptr);
  failing.c = found->minimal;
  failing.verdict = found->verdict;
  SilencedFailures silenced(zygote_.memory().silenced);
  for (int place = 0; place < kMaxSilenced; ++place) silenced.drop(place);
  scratch_.write("its.case", to_text(found->minimal));
  CampaignOptions listed = options_;
  listed.ledger =
      read_ledger(scratch_.write("l.toml", ledger_entry(found->signature.text, "its.case")));

  Finder finder(zygote_, in_children_, &on_spares_, listed);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(finder.examine(never_again(failing), store_), nullptr);
  EXPECT_EQ(finder.met().unconfirmed(), 3u);
  EXPECT_EQ(finder.met().elusive(), 1u);
  const Finding* const recognized = finder.examine(failing, store_);
  ASSERT_NE(recognized, nullptr);
  EXPECT_TRUE(recognized->known);
  EXPECT_EQ(finder.met().unconfirmed(), 0u);
  EXPECT_EQ(finder.met().elusive(), 0u);
}

/// The kernel's failure comes before it checks anything.
class FinderOfIllegalCases : public FinderTest {
 protected:
  FinderOfIllegalCases() : FinderTest("planted::index_select_clears_gaps.out") {}
  static Case gapped(const std::string& rule, int elements) {
    const std::string size = "(" + std::to_string(elements) + ")";
    return written("index_select out" + rule + "\nself float32 (3)\nindex int64 " + size +
                   " fill=last\nout float32 " + size + " step=(2)\n");
  }
};

TEST_F(FinderOfIllegalCases, ARuleThatPlaysNoPartIsLeftOut) {
  const Suspect illegal = suspect(gapped(" breaks=index_above", 5));
  ASSERT_EQ(illegal.verdict.kind, Kind::kMemory);
  const Finding* const finding = finder_.examine(illegal, store_);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->minimal.breaks, 0);
  EXPECT_THAT(finding->signature.text, Not(HasSubstr("breaks")));
  EXPECT_EQ(finding->reruns.failed, 10);

  Suspect other = suspect(gapped(" breaks=index_dtype", 4));
  ASSERT_EQ(other.verdict.kind, Kind::kMemory);
  ASSERT_TRUE(finder_.note(other));
  EXPECT_EQ(finder_.examine(other, store_), nullptr) << "the rule is another one, not the failure";
  Suspect like_it = suspect(gapped(" breaks=index_dtype", 6));
  EXPECT_FALSE(finder_.note(like_it)) << "all with these traits fail for the same reason";
  EXPECT_EQ(finder_.findings().size(), 1u);
}

/// The kernel takes an index that is out of range by one.
class FinderOfAcceptedCases : public FinderTest {
 protected:
  FinderOfAcceptedCases() : FinderTest("planted::index_select_bound_off_by_one") {}
};

TEST_F(FinderOfAcceptedCases, ARuleThatPlaysAPartStays) {
  const Suspect illegal =
      suspect(written("index_select functional breaks=index_above\nself float32 (2, 3)\n"
                      "index int64 (1) fill=first\n"));
  ASSERT_EQ(illegal.verdict.status, Status::kFinding);
  const Finding* const finding = finder_.examine(illegal, store_);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->signature.text, HasSubstr("breaks index_above"));
}

class StatefulFinderTest : public FinderTest {
 protected:
  StatefulFinderTest() : FinderTest("planted::index_select_wrong_after_100") {}
};

TEST_F(StatefulFinderTest, WhatOnlySparesShowIsLookedForBehindOtherCalls) {
  const Case plain =
      written("index_select functional\nself float32 (4)\nindex int64 (2) fill=first\n");
  for (int i = 0; i < 4; ++i) on_spares_.run_copies(plain, 200, {});
  const Suspect failing = suspect(plain);
  ASSERT_EQ(failing.verdict.status, Status::kFinding) << "both spares have run a hundred calls";
  const Finding* const finding = finder_.examine(failing, store_);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->before, Not(IsEmpty()));
  EXPECT_EQ(finding->reruns.failed, finding->reruns.runs);
}

}  // namespace
}  // namespace indexfuzz
