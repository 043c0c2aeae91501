#include "campaign/told_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "quiet_listener.h"

namespace indexfuzz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct ToldOnceTest : testing::Test, QuietListener {
  void note(const std::string& sentence) override { notes.push_back(sentence); }
  std::vector<std::string> notes;
  ToldOnce told{*this};
};

TEST_F(ToldOnceTest, ASlowStart) {
  told.getting_ready(14);
  EXPECT_THAT(notes, IsEmpty());
  for (const double seconds : {16, 17}) told.getting_ready(seconds);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("not ready after 15 s")));
}

TEST_F(ToldOnceTest, NothingOfAWorkerThatIsStartedAgain) {
  told.begins();
  told.getting_ready(100);
  EXPECT_THAT(notes, IsEmpty());
}

TEST_F(ToldOnceTest, ThatNoMoreFailuresCanBeToldApart) {
  for (const std::uint64_t untracked : {0, 1, 2}) told.untracked(untracked);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("no more can be told apart")));
}

TEST_F(ToldOnceTest, EveryFirstCallThatIsLetGo) {
  const Hello hello{.implementations = {{.name = "mine::x"}, {.name = "mine::y"}}};
  const std::uint32_t called[] = {1, kMaxImplementations};
  for (int ends = 0; ends < 2; ++ends) told.first_calls(hello, called);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("mine::y has not returned from its first call")));
  told.first_calls(hello, std::array<std::uint32_t, 2>{0, 1});
  EXPECT_THAT(notes, ElementsAre(HasSubstr("mine::y"), HasSubstr("mine::x")));
}

}  // namespace
}  // namespace indexfuzz
