#include "campaign/workers/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <thread>

#include "../cli/command.h"
#include "pid_file.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using How = ProgramEnd::How;

ProgramEnd ended(const std::string& script, seconds limit = seconds(60)) {
  return Subprocess({"sh", "-c", script}, limit).wait();
}

TEST(Subprocess, EndsAsTheProgramDoes) {
  EXPECT_TRUE(ended("exit 0").is_success());
  EXPECT_EQ(ended("exit 125"), (ProgramEnd{How::kExited, 125}));
  EXPECT_EQ(ended("kill -SEGV $$"), (ProgramEnd{How::kSignalled, SIGSEGV}));
  EXPECT_EQ(ended("kill -KILL $$"), (ProgramEnd{How::kSignalled, SIGKILL}));
  EXPECT_EQ(ended("sleep 60", seconds(0)).how, How::kTimedOut);
  EXPECT_EQ(Subprocess({"/no/such/program"}, seconds(60)).wait(), kNotStarted);
}

TEST(Subprocess, KeepsBothStreams) {
  Subprocess process({"sh", "-c", "echo out; echo err >&2"}, seconds(60));
  process.wait();
  EXPECT_EQ(process.output(), "out\nerr\n");
}

TEST(Subprocess, CannotFillTheMemoryWithItsOutput) {
  Subprocess process({"sh", "-c", "echo first; head -c 100000000 /dev/zero && exit 7; exit 8"},
                     seconds(60));
  EXPECT_EQ(process.wait(), (ProgramEnd{How::kExited, 8})) << "the last write fails";
  EXPECT_EQ(process.output(), std::string(1 << 16, '\0')) << "the end of what was written is kept";
}

bool ends(pid_t pid) {
  for (int i = 0; i < 3000; ++i) {
    if (kill(pid, 0) != 0) return true;
    // A zombie that nobody in this container reaps has ended too.
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text{std::istreambuf_iterator<char>(stat), {}};
    if (text.find(") Z ") != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

// As a compiler does: a grandchild does the work.
std::string with_grandchild(const Scratch& scratch) {
  return "sleep 300 & echo $! > " + scratch / "new" + "; mv " + scratch / "new" + " " +
         scratch / "pid" + "; wait";
}

TEST(Subprocess, GrandchildrenEndWithTheObject) {
  const Scratch scratch;
  pid_t grandchild = 0;
  {
    Subprocess process({"sh", "-c", with_grandchild(scratch)}, seconds(60));
    grandchild = pid_in(scratch / "pid");
    ASSERT_NE(grandchild, 0);
  }
  EXPECT_TRUE(ends(grandchild));
}

TEST(Subprocess, LeavesNoZombiesToASubreaper) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // as every owner of a zygote is
  for (const seconds limit : {seconds(60), seconds(3)}) {
    const Scratch scratch;
    pid_t grandchild = 0;
    {
      Subprocess process({"sh", "-c", with_grandchild(scratch)}, limit);
      grandchild = pid_in(scratch / "pid");
      ASSERT_NE(grandchild, 0);
      if (limit == seconds(3)) {
        EXPECT_EQ(process.wait().how, How::kTimedOut);
      }
    }
    EXPECT_EQ(kill(grandchild, 0), -1);
    EXPECT_EQ(errno, ESRCH);
  }
}

TEST(Subprocess, GrandchildrenEndWithAKilledOwner) {
  const Scratch scratch;
  const pid_t owner = fork();
  if (owner == 0) {
    Subprocess process({"sh", "-c", with_grandchild(scratch)}, seconds(60));
    process.wait();
    _exit(0);
  }
  const pid_t grandchild = pid_in(scratch / "pid");
  ASSERT_NE(grandchild, 0);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(ends(grandchild));
}

}  // namespace
}  // namespace indexfuzz
