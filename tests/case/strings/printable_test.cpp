#include "case/strings/printable.h"

#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

TEST(Printable, LeavesTextAndEscapesTheRest) {
  EXPECT_EQ(printable("a b/ä€😀"), "a b/ä€😀");
  EXPECT_EQ(printable("a\n\x1b\x7f"), "a\\x0A\\x1B\\x7F");
  EXPECT_EQ(printable("\xff\xc3"), "\\xFF\\xC3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xC0\\xAF") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xED\\xA0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xc2\x9b"), "\\xC2\\x9B") << "a C1 control character";
}

TEST(Printable, ABeginningEndsWithAWholeCharacter) {
  EXPECT_EQ(beginning("abc", 3), "abc");
  EXPECT_EQ(beginning("abcd", 3), "abc");
  EXPECT_EQ(beginning("a€b", 3), "a") << "the character has three bytes";
  EXPECT_EQ(beginning("a€b", 4), "a€");
  EXPECT_EQ(beginning("€", 1), "");
}

}  // namespace
}  // namespace indexfuzz
