#include "campaign/last_line.h"

#include <gtest/gtest.h>

#include <string>

namespace indexfuzz {
namespace {

TEST(LastLine, IsTheLastThatIsNotEmpty) {
  EXPECT_EQ(last_line("first\nsecond\n\n"), "second");
  EXPECT_EQ(last_line("\n"), "");
}

TEST(LastLine, OfALongOneTheBeginningStaysWithoutHalfACharacter) {
  const std::string umlaut = "\xC3\xA4";
  EXPECT_EQ(last_line(std::string(199, 'a') + umlaut), std::string(199, 'a') + "...");
  EXPECT_EQ(last_line(std::string(198, 'a') + umlaut), std::string(198, 'a') + umlaut);
}

TEST(LastLine, BytesThatAreNoTextAreWrittenOut) {
  EXPECT_EQ(last_line("a\x80\n"), "a\\x80");
  EXPECT_EQ(whole_last_line("a\x80\n"), "a\x80");
}

}  // namespace
}  // namespace indexfuzz
