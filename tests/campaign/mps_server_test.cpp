// The life of an MPS server, with a program in its place that starts no server but a sleep.

#include "campaign/gpu/mps_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "../cli/command.h"
#include "campaign/failure.h"
#include "pid_file.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::HasSubstr;

/// Writes down its folder and its daemon's number. `on_quit`: what it does when told to end;
/// `on_start`: what else when it has started the daemon.
std::string control_program(const Scratch& scratch, const std::string& on_quit,
                            const std::string& on_start = "true") {
  const std::string program = scratch.write(
      "control", "#!/bin/sh\nif [ \"$1\" = -d ]; then\n  echo \"$CUDA_MPS_PIPE_DIRECTORY\" > " +
                     scratch / "pipe" + "\n  test -d \"$CUDA_MPS_LOG_DIRECTORY\" || exit 3\n" +
                     "  setsid sleep 300 &\n  echo $! > " + scratch / "pid" + "\n" +
                     "  : > \"$CUDA_MPS_PIPE_DIRECTORY/control\"\n  " + on_start +
                     "\nelse\n  cat > " + scratch / "said" + "\n  " + on_quit + "\nfi\n");
  fs::permissions(program, fs::perms::owner_all);
  return program;
}

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

template <typename Condition>
bool comes_true(Condition&& condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

class MpsServerControlledBy : public testing::TestWithParam<const char*> {};

TEST_P(MpsServerControlledBy, LeavesNothingBehind) {
  const Scratch scratch;
  std::string pipe;
  pid_t daemon = 0;
  {
    const MpsServer server({}, control_program(scratch, GetParam()));
    ASSERT_TRUE(server.runs()) << server.why();
    pipe = server.pipe();
    daemon = std::stoi(first_line(scratch / "pid"));
    EXPECT_EQ(first_line(scratch / "pipe"), pipe);
    EXPECT_TRUE(fs::exists(pipe + "/control"));
    EXPECT_TRUE(lives(daemon));
    EXPECT_EQ(fs::status(fs::path(pipe).parent_path()).permissions(), fs::perms::owner_all);
  }
  EXPECT_THAT(first_line(scratch / "said"), HasSubstr("quit"));
  EXPECT_FALSE(lives(daemon));
  EXPECT_FALSE(fs::exists(fs::path(pipe).parent_path()));
}

// One that does what it is told, one that does not, and one that never answers.
INSTANTIATE_TEST_SUITE_P(MpsServer, MpsServerControlledBy,
                         testing::Values("kill $(cat $(dirname $0)/pid)", "true", "sleep 300"));

/// Kills the owner when the daemon runs.
void expect_to_end_with_its_owner(const std::string& on_start) {
  const Scratch scratch;
  const std::string program = control_program(scratch, "true", on_start);
  const pid_t owner = fork();
  if (owner == 0) {
    const MpsServer server({}, program);
    pause();
    _exit(0);
  }
  ASSERT_TRUE(comes_true([&] { return !first_line(scratch / "pid").empty(); }));
  const pid_t daemon = std::stoi(first_line(scratch / "pid"));
  const fs::path folder = fs::path(first_line(scratch / "pipe")).parent_path();
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(comes_true([&] { return !lives(daemon); }));
  EXPECT_TRUE(comes_true([&] { return !fs::exists(folder); }));
}

TEST(MpsServer, EndsWithAKilledOwner) {
  expect_to_end_with_its_owner("true");
}

TEST(MpsServer, EndsWithAnOwnerThatIsKilledWhileItStarts) {
  expect_to_end_with_its_owner("sleep 1");
}

TEST(MpsServer, IsAwaitedNoLongerThanTheUserWants) {
  const Scratch scratch;
  const std::string program = control_program(scratch, "true", "sleep 300");
  const auto starts = [&] { return !first_line(scratch / "pid").empty(); };
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(MpsServer(starts, program), Interruption);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  EXPECT_FALSE(lives(std::stoi(first_line(scratch / "pid"))));
  EXPECT_FALSE(fs::exists(fs::path(first_line(scratch / "pipe")).parent_path()));
}

TEST(MpsServer, SaysWhyThereIsNone) {
  EXPECT_THAT(MpsServer({}, "/no/such/program").why(), HasSubstr("/no/such/program was not found"));
  EXPECT_THAT(MpsServer({}, "false").why(), HasSubstr("exit code 1"));
  EXPECT_FALSE(MpsServer({}, "false").runs());
}

}  // namespace
}  // namespace indexfuzz
