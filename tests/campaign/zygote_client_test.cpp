// The supervisor's end of a zygote, with a script in the place of the program that runs kernels.

#include "campaign/workers/zygote_client.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>

#include "campaign/failure.h"
#include "pid_file.h"
#include "run/process/rounds.h"
#include "scripted_worker.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kOneKernel =
    R"({"torch": "2.11.0", "libfuzzer": false,
        "implementations": [{"name": "aten:cpu", "forms": []}]})";

TEST(ZygoteClient, LeavesNoZombies) {
  const Scratch scratch;
  pid_t child = 0;
  {
    ZygoteClient client(
        script(scratch, "sleep 300 &\n" + note("$!", scratch, "child") + say_hello() + "wait"), 1);
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
  WorkerCommand command = script(scratch, await(scratch, "go") + "echo so long; exit 3");
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

TEST(ZygoteClient, RefusesAWorkerOfAnotherBuild) {
  WorkerCommand command;
  command.executable = find_worker_executable();
  ZygoteClient client(command, 1);
  client.memory().build += 1;  // long before the worker has loaded torch and looks
  std::string said;
  try {
    client.hello();
  } catch (const SetupError& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("indexfuzz-worker is of another build than indexfuzz"), std::string::npos)
      << said;
}

TEST(ZygoteClient, KillsTheChildThatItsProcessNames) {
  const Scratch scratch;
  ZygoteClient client(script(scratch, say_hello() + await(scratch, "go") + "sleep 300 &\n" +
                                          say(Message::Type::kStarted, 0, "$!") + "wait $!\n" +
                                          say(Message::Type::kEnded, 0, "9") + "exec sleep 300"),
                      1);
  write_hello(client.memory());
  client.hello();
  client.start(0);
  EXPECT_EQ(client.child(0), 0) << "it does not exist yet";
  scratch.write("go", "");
  for (int i = 0; i < 300 && client.child(0) == 0; ++i) client.receive(milliseconds(100));
  const pid_t child = client.child(0);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(lives(child));
  client.kill(0);
  EXPECT_FALSE(lives(child));
  EXPECT_EQ(client.take_ended(0), SIGKILL);
  EXPECT_EQ(client.child(0), 0);
}

TEST(ZygoteClient, TellsADeathBeforeTheJobFromOneOfTheJob) {
  for (const bool taken : {false, true}) {
    const Scratch scratch;
    ZygoteClient client(script(scratch, say_hello() + await(scratch, "go") +
                                            say(Message::Type::kEnded, 0, "9") + "exec sleep 300"),
                        1);
    write_hello(client.memory());
    client.hello();
    client.start(0);
    if (taken) take_round(client.slot(0));
    scratch.write("go", "");
    for (int i = 0; i < 300 && client.running(0); ++i) client.receive(milliseconds(100));
    EXPECT_EQ(client.take_ended(0), SIGKILL);
    EXPECT_EQ(client.was_lost(0), !taken);
  }
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
                          note("$$", scratch, "zygote") + say_hello() + "exec sleep 300"),
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

TEST(ZygoteClient, AnInterruptionEndsTheWaitForAChildThatDoesNotEnd) {
  const Scratch scratch;
  bool interrupted = false;
  ZygoteClient client(script(scratch, say_hello() + "exec sleep 300"), 1,
                      [&] { return interrupted; });
  write_hello(client.memory());
  client.hello();
  client.slot(0).job = {};
  client.start(0);  // this process never reports the end of a child
  interrupted = true;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THROW(client.kill(0), DeviceMissing);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15));
}

/// What a client throws whose process is killed and says `hello` when it is started again, and
/// ends with `then`; how often it was started.
struct Restarted {
  std::string error;
  int starts = 0;
};
Restarted restarted(std::string_view hello, const std::string& then) {
  const Scratch scratch;
  ZygoteClient client(
      script(scratch, "echo >> " + scratch / "starts" + "\nif test -e " + scratch / "zygote" +
                          "; then\n" + say_hello() + then + "\nfi\n" +
                          note("$$", scratch, "zygote") + say_hello() + "exec sleep 300"),
      1);
  write_hello(client.memory(), kOneKernel);
  client.hello();
  write_hello(client.memory(), hello);
  Restarted result;
  try {
    kill(pid_in(scratch / "zygote"), SIGKILL);
    for (int i = 0; i < 300; ++i) client.receive(milliseconds(100));
  } catch (const SetupError& error) {
    result.error = error.what();
  }
  for (const char c : read_text(scratch / "starts")) result.starts += c == '\n' ? 1 : 0;
  return result;
}

TEST(ZygoteClient, SaysWhyItsProcessCannotServeAnyMore) {
  const Restarted result = restarted(R"({"error": "there is no such library."})", "exit 1");
  EXPECT_EQ(result.error, "there is no such library.");
  EXPECT_EQ(result.starts, 2);
}

TEST(ZygoteClient, DoesNotGoOnWithOtherKernels) {
  const Restarted result = restarted(
      R"({"torch": "2.11.0", "libfuzzer": false,
          "implementations": [{"name": "mine::gather", "forms": []}]})",
      "exec sleep 300");
  EXPECT_EQ(result.error,
            "a library has changed while the campaign ran: aten:cpu is not what it was.");
}

TEST(ZygoteClient, GivesUpAProcessThatEndsAgainAndAgain) {
  const Restarted result = restarted(kOneKernel, "exit 1");
  EXPECT_EQ(result.error, "the worker process has ended unexpectedly.");
  EXPECT_EQ(result.starts, 6);
}

}  // namespace
}  // namespace indexfuzz
