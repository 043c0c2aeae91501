// The supervisor's end of a zygote, with a script in the place of the program that runs kernels.

#include "campaign/workers/zygote_client.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "../cli/command.h"
#include "campaign/failure.h"
#include "pid_file.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// What it writes to say hello: a Message of this type.
constexpr const char* kHello =
    "printf '\\000\\000\\000\\000\\377\\377\\377\\377\\000\\000\\000\\000' >&3";
static_assert(sizeof(Message) == 12 && static_cast<int>(Message::Type::kHello) == 0);

WorkerCommand script(const Scratch& scratch, const std::string& lines) {
  WorkerCommand command;
  command.executable = scratch.write("worker", "#!/bin/sh\n" + lines + "\n");
  fs::permissions(command.executable, fs::perms::owner_all);
  return command;
}

/// Puts down what the script cannot, before it is read.
void write_hello(SharedMemory& memory) {
  constexpr std::string_view text =
      R"({"torch": "2.11.0", "libfuzzer": false, "implementations": []})";
  memory.hello_size = text.size();
  std::memcpy(memory.hello, text.data(), text.size());
}

/// Lines that write a process' number into a file, as a whole.
std::string note(const std::string& number, const Scratch& scratch, const std::string& file) {
  return "echo " + number + " > " + scratch / "new" + "; mv " + scratch / "new" + " " +
         scratch / file + "\n";
}

TEST(ZygoteClient, LeavesNoZombies) {
  const Scratch scratch;
  pid_t child = 0;
  {
    ZygoteClient client(
        script(scratch, "sleep 300 &\n" + note("$!", scratch, "child") + kHello + "\nwait"), 1);
    write_hello(client.memory());
    EXPECT_EQ(client.hello().torch, "2.11.0");
    child = pid_in(scratch / "child");
    ASSERT_NE(child, 0);
  }
  EXPECT_EQ(kill(child, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ZygoteClient, NamesTheLibraryThatItsProcessEndedWith) {
  const Scratch scratch;
  WorkerCommand command = script(
      scratch, "until test -e " + scratch / "go" + "; do sleep 0.01; done; echo so long; exit 3");
  command.libraries = {"/first.so", "/second.so"};
  ZygoteClient client(command, 1);
  client.memory().loading = 2;
  scratch.write("go", "");
  std::string said;
  try {
    client.hello();
  } catch (const SetupError& error) {
    said = error.what();
  }
  EXPECT_EQ(said,
            "/second.so cannot be loaded: as it was loaded, it called exit(3) and said \"so "
            "long\"; its static initializers, TORCH_LIBRARY's among them, must return.");
}

TEST(ZygoteClient, IsAwaitedNoLongerThanTheUserWants) {
  const Scratch scratch;
  ZygoteClient client(script(scratch, "exec sleep 300"), 1, [] { return true; });
  EXPECT_THROW(client.hello(), Interruption);
}

TEST(ZygoteClient, IsAwaitedNoLongerThanTheUserWantsWhenItIsStartedAgain) {
  const Scratch scratch;
  bool interrupted = false;
  // Only the first one gets ready.
  ZygoteClient client(
      script(scratch, "test -e " + scratch / "zygote" + " && exec sleep 300\n" +
                          note("$$", scratch, "zygote") + kHello + "\nexec sleep 300"),
      1, [&] { return interrupted; });
  write_hello(client.memory());
  client.hello();
  const pid_t zygote = pid_in(scratch / "zygote");
  ASSERT_GT(zygote, 0);
  interrupted = true;
  ASSERT_EQ(kill(zygote, SIGKILL), 0);
  EXPECT_THROW(
      {
        for (int i = 0; i < 300; ++i) client.receive(milliseconds(100));
      },
      Interruption);
}

}  // namespace
}  // namespace indexfuzz
