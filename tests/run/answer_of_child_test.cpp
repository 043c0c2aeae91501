// A child that is asked something, and what becomes of it.

#include "run/shared/answer_of_child.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "../campaign/pid_file.h"
#include "../cli/command.h"

namespace indexfuzz {
namespace {

TEST(AnswerOfChild, IsWhatWasAsked) {
  EXPECT_EQ(answer_of_child([] { return 42; }), 42);
}

TEST(AnswerOfChild, IsNoneIfItThrows) {
  const Scratch scratch;
  const pid_t self = getpid();
  std::optional<int> answer;
  try {
    answer = answer_of_child([]() -> int { throw std::runtime_error("no"); });
  } catch (const std::runtime_error&) {
    if (getpid() == self) throw;
    scratch.write("went-on", "");
    _exit(0);
  }
  EXPECT_FALSE(answer.has_value());
  EXPECT_FALSE(std::filesystem::exists(scratch / "went-on")) << "the child did its parent's work";
}

TEST(AnswerOfChild, IsOfNoUseToAnyoneElse) {
  const Scratch scratch;
  const pid_t parent = fork();
  if (parent == 0) {
    answer_of_child([&] {
      scratch.write("new", std::to_string(getpid()));
      std::filesystem::rename(scratch / "new", scratch / "child");
      pause();
      return 0;
    });
    _exit(0);
  }
  const pid_t child = pid_in(scratch / "child");
  ASSERT_NE(child, 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  for (int i = 0; i < 1000 && lives(child); ++i) usleep(10'000);
  EXPECT_FALSE(lives(child)) << "it outlived its parent";
  kill(child, SIGKILL);
}

}  // namespace
}  // namespace indexfuzz
