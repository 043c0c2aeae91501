#include "campaign/programs/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "../cli/command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTorch = "2.11.0";

ProgramResult next_result(Verifier& verifier) {
  while (true) {
    if (auto result = verifier.poll()) return *result;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(Verifier, APythonThatWasTooSlowOnceIsAskedAgain) {
  const Scratch scratch;
  // The first time that it is asked for torch it is as slow as on a machine with too much to do.
  const std::string python =
      scratch.write("python", "#!/bin/sh\n[ \"$1\" != -c ] && echo WRONG: all && exit 1\n[ -e " +
                                  scratch / "asked" + " ] && echo 2.11.0 && exit 0\n: >" +
                                  scratch / "asked" + "\nsleep 60\n");
  fs::permissions(python, fs::perms::owner_all);
  scratch.write("repro.cpp", "no program\n");
  Verifier verifier(python, kTorch, std::chrono::seconds(3));
  verifier.add("first", scratch / "");
  verifier.add("second", scratch / "");
  const ProgramResult first = next_result(verifier), second = next_result(verifier);
  EXPECT_EQ(first.python, Verified::kNotRun);
  EXPECT_THAT(first.note, testing::HasSubstr("did not import torch in time"));
  EXPECT_EQ(second.python, Verified::kFails);
}

TEST(Verifier, RunsTheProgramsOfAsManyFindingsAtATimeAsAsked) {
  const Scratch scratch;
  // Each program waits for the other to begin, and shows nothing if it does not.
  const std::string python = scratch.write(
      "python", "#!/bin/sh\n[ \"$1\" = -c ] && echo 2.11.0 && exit 0\nfolder=${1%/*}\n: >$folder/" +
                    std::string("begun\nfor i in $(seq 1000); do\n  [ -e $folder/../first/begun ] "
                                "&& [ -e $folder/../second/begun ] && echo WRONG: all && exit 1\n"
                                "  sleep 0.01\ndone\n"));
  fs::permissions(python, fs::perms::owner_all);
  Verifier verifier(python, kTorch);
  verifier.run_at_once(2);
  for (const char* const id : {"first", "second"}) {
    fs::create_directory(scratch / id);
    scratch.write(std::string(id) + "/repro.cpp", "no program\n");
    verifier.add(id, scratch / id);
  }
  EXPECT_EQ(next_result(verifier).python, Verified::kFails);
  EXPECT_EQ(next_result(verifier).python, Verified::kFails);
  EXPECT_TRUE(verifier.idle());
}

TEST(Verifier, AProgramThatPythonCannotReadShowsNothing) {
  const Scratch scratch;
  const std::string python = scratch.write("python",
                                           "#!/bin/sh\n[ \"$1\" = -c ] && echo 2.11.0 && exit "
                                           "0\necho SyntaxError: it is none\nexit 1\n");
  fs::permissions(python, fs::perms::owner_all);
  scratch.write("repro.cpp", "no program\n");
  Verifier verifier(python, kTorch);
  verifier.add("one", scratch / "");
  const ProgramResult result = next_result(verifier);
  EXPECT_EQ(result.python, Verified::kEndsOtherwise);
  EXPECT_THAT(result.note, testing::HasSubstr("repro.py exited with 1: SyntaxError: it is none"));
}

/// What repro.py shows on a Python that finds nothing wrong, with a torch of that version.
ProgramResult where_all_is_right(const std::string& torch) {
  const Scratch scratch;
  const std::string python =
      scratch.write("python", "#!/bin/sh\n[ \"$1\" = -c ] && echo " + torch + "\nexit 0\n");
  fs::permissions(python, fs::perms::owner_all);
  scratch.write("repro.cpp", "no program\n");
  Verifier verifier(python, kTorch);
  verifier.add("one", scratch / "");
  return next_result(verifier);
}

TEST(Verifier, AnotherTorchDoesNotRefuteAFinding) {
  for (const char* const same : {"2.11.0", "2.11.0+cu126", "2.11.0.dev20260101", "2.11.0a0"})
    EXPECT_EQ(where_all_is_right(same).python, Verified::kPasses) << same;
  for (const char* const other : {"2.11.1", "2.1.0", "2.11.01", "12.11.0"}) {
    const ProgramResult result = where_all_is_right(other);
    EXPECT_EQ(result.python, Verified::kCannotRun) << other;
    EXPECT_THAT(result.note, testing::HasSubstr("has torch " + std::string(other) +
                                                ", 2.11.0 was tested; give --python"));
  }
  EXPECT_EQ(where_all_is_right("").python, Verified::kCannotRun);
}

}  // namespace
}  // namespace indexfuzz
