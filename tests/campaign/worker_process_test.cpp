#include "campaign/workers/worker_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "../cli/command.h"

namespace indexfuzz {
namespace {

/// What a worker that is this shell script prints.
std::string printed_by(const std::string& script) {
  const Scratch scratch;
  WorkerCommand command;
  command.executable = scratch.write("worker", "#!/bin/sh\n" + script);
  std::filesystem::permissions(command.executable, std::filesystem::perms::owner_all);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int output[2];
  EXPECT_EQ(pipe2(output, O_CLOEXEC), 0);
  const pid_t pid = start_worker(command, null, null, output[1]);
  close(output[1]);
  std::string text;
  char buffer[256];
  for (ssize_t size = 0; (size = read(output[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  close(output[0]);
  close(null);
  return text;
}

TEST(WorkerProcess, ItsThreadsSleepWhileTheyWaitUnlessTheUserSaysOtherwise) {
  const char* const script = "echo \"$OMP_WAIT_POLICY\"\n";
  unsetenv("OMP_WAIT_POLICY");
  EXPECT_EQ(printed_by(script), "passive\n");
  setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_EQ(printed_by(script), "active\n");
  unsetenv("OMP_WAIT_POLICY");
}

}  // namespace
}  // namespace indexfuzz
