#include "campaign/examine/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "../cli/command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

Verifier::Result next_result(Verifier& verifier) {
  while (true) {
    if (auto result = verifier.poll()) return *result;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(Verifier, APythonThatWasTooSlowOnceIsAskedAgain) {
  const Scratch scratch;
  // The first time that it is asked for torch it is as slow as on a machine with too much to do.
  const std::string python = scratch.write(
      "python", "#!/bin/sh\n[ \"$1\" != -c ] && echo WRONG: all && exit 1\n[ -e " +
                    scratch / "asked" + " ] && exit 0\n: >" + scratch / "asked" + "\nsleep 60\n");
  fs::permissions(python, fs::perms::owner_all);
  scratch.write("repro.cpp", "no program\n");
  Verifier verifier(python, std::chrono::seconds(3));
  verifier.add("first", scratch / "");
  verifier.add("second", scratch / "");
  const Verifier::Result first = next_result(verifier), second = next_result(verifier);
  EXPECT_EQ(first.python, Verified::kPending);
  EXPECT_THAT(first.note, testing::HasSubstr("did not import torch in time"));
  EXPECT_EQ(second.python, Verified::kYes);
}

TEST(Verifier, AProgramThatPythonCannotReadShowsNothing) {
  const Scratch scratch;
  const std::string python = scratch.write(
      "python", "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\necho SyntaxError: it is none\nexit 1\n");
  fs::permissions(python, fs::perms::owner_all);
  scratch.write("repro.cpp", "no program\n");
  Verifier verifier(python);
  verifier.add("one", scratch / "");
  const Verifier::Result result = next_result(verifier);
  EXPECT_EQ(result.python, Verified::kOther);
  EXPECT_THAT(result.note, testing::HasSubstr("repro.py exited with 1: SyntaxError: it is none"));
}

}  // namespace
}  // namespace indexfuzz
