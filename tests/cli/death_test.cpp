// Kernels that die, leave something behind or fail only sometimes: each is a finding of its kind,
// and the campaign goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

struct Caught {
  nlohmann::json finding;
  std::string message;
  std::string minimal;
  nlohmann::json summary;
  std::string told;  ///< on stderr
};

Caught catch_first(const std::string& kernel, const Scratch& scratch, Arguments more = {}) {
  more.insert(more.end(), {"--seed", "1", "--time", "60s", "--max-findings", "1"});
  const Ended ended =
      run(fuzz_one("index_select", "planted::" + kernel, scratch / "o", std::move(more)));
  EXPECT_EQ(ended.code, 77) << ended.err;
  Caught caught;
  caught.told = ended.err;
  caught.summary = read_json(scratch / "o/summary.json");
  const auto& findings = caught.summary.at("findings");
  if (findings.empty()) return caught;
  caught.finding = findings[0];
  const std::string folder =
      scratch / ("o/findings/" + caught.finding.at("id").get<std::string>() + "/");
  caught.message = read_json(folder + "finding.json").at("message");
  caught.minimal = read_text(folder + "minimal.case");
  return caught;
}

struct Expected {
  const char* kernel;
  const char* kind;
  const char* message;
};

class Died : public testing::TestWithParam<Expected> {};

TEST_P(Died, IsAFindingOfItsKind) {
  const Scratch scratch;
  const Caught caught = catch_first(GetParam().kernel, scratch);
  ASSERT_FALSE(caught.finding.is_null());
  EXPECT_EQ(caught.finding.at("kind"), GetParam().kind);
  EXPECT_EQ(caught.finding.at("reruns"), "10/10");
  EXPECT_THAT(caught.message, HasSubstr(GetParam().message));
  EXPECT_LE(caught.finding.at("elements"), 10);
  EXPECT_THAT(caught.minimal, Not(HasSubstr("---"))) << "it fails alone";
}

INSTANTIATE_TEST_SUITE_P(
    Command, Died,
    testing::Values(Expected{"index_select_stack_overflow", "crash", "stack overflow"},
                    Expected{"index_select_exit", "crash", "called exit(0)"},
                    Expected{"index_select_quick_exit", "crash", "called exit(87)"},
                    Expected{"index_select_exit_at_once", "crash", "called exit(0)"},
                    Expected{"index_select_throws_number", "refusal", "not a std::exception"},
                    Expected{"index_select_huge_workspace", "oom", "ran out of memory"},
                    Expected{"index_select_rounds_upward", "input", "the rounding mode"},
                    Expected{"index_select_enables_grad", "input", "grad mode to on"},
                    Expected{"index_select_disables_grad", "input", "grad mode to off"},
                    Expected{"index_select_draws_random_number", "input", "random generator"},
                    Expected{"index_select_stays_on_one_processor", "input", "processors"},
                    Expected{"index_select_sets_variable", "input", "environment variables"},
                    Expected{"index_select_lowers_precision", "input", "matrix products"},
                    Expected{"index_select_scales_in_place", "input", "wrote into index"},
                    Expected{"index_select_changes_default_dtype", "input", "default dtype"},
                    Expected{"index_select_goes_to_root", "input", "the current folder"},
                    Expected{"index_select_clears_umask", "input", "the umask"},
                    Expected{"index_select_blocks_interrupts", "input", "signals are blocked"},
                    Expected{"index_select_drops_fault_handler", "input", "SIGSEGV"},
                    Expected{"index_select_sets_locale", "input", "the locale"},
                    Expected{"index_select_requires_grad", "metadata", "requires a gradient"},
                    Expected{"index_select_in_inference_mode", "metadata", "inference tensor"},
                    Expected{"index_select_closes_all_files", "input", "files are open"},
                    Expected{"index_select_keeps_tensor", "leak", "memory of tensors"},
                    Expected{"index_select_keeps_index", "leak", "memory of malloc"},
                    Expected{"index_select_keeps_block", "leak", "memory of malloc"},
                    Expected{"index_select_keeps_file", "leak", "file descriptors"},
                    Expected{"index_select_keeps_thread", "leak", "threads"},
                    Expected{"index_select_keeps_process", "leak", "processes"},
                    Expected{"index_select_borrows_behind.out", "memory", "beyond out"},
                    Expected{"index_select_borrows_before_result", "memory", "of its own"}),
    [](const auto& info) {
      std::string name = info.param.kernel;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

TEST(Hang, IsEndedFromOutsideAlsoWhenItHearsNoSignal) {
  const Scratch scratch;
  const Caught caught = catch_first("index_select_hang_deaf", scratch, {"--timeout", "11s"});
  EXPECT_THAT(caught.told, HasSubstr("planted::index_select_hang_deaf has not returned for "));
  // Nothing else happens for longer than the ten seconds from one line to the next.
  EXPECT_THAT(caught.told,
              HasSubstr("examining index_select on planted::index_select_hang_deaf: hang\n"));
  ASSERT_FALSE(caught.finding.is_null());
  EXPECT_EQ(caught.finding.at("kind"), "hang");
  // Ten times within two seconds, and once, when it is minimal, within the whole limit.
  EXPECT_EQ(caught.finding.at("reruns"), "11/11");
  EXPECT_THAT(caught.minimal, HasSubstr("(7)"));
}

TEST(Hang, OnceKnownIsNotMetAgain) {
  const Scratch scratch;
  run(fuzz_one(
      "index_select", "planted::index_select_hang", scratch / "o",
      {"--impl", "aten:cpu", "--timeout", "1s", "--no-verify", "--seed", "3", "--cases", "20000"}));
  const auto implementations = read_json(scratch / "o/summary.json").at("implementations");
  const auto pair = implementations.at("planted::index_select_hang").at("index_select");
  EXPECT_EQ(pair.at("findings"), 1) << "each would take its time limit";
  EXPECT_GT(pair.at("steered"), 5000);
  EXPECT_GT(implementations.at("aten:cpu").at("index_select").at("agreed"), 10000);
}

TEST(Sequence, IsShrunkReplayedAndExported) {
  const Scratch scratch;
  const Caught caught = catch_first("index_select_stale_rows", scratch);
  ASSERT_FALSE(caught.finding.is_null());
  EXPECT_EQ(caught.finding.at("kind"), "value");
  EXPECT_EQ(caught.finding.at("reruns"), "10/10");
  EXPECT_THAT(caught.finding.at("signature").get<std::string>(), HasSubstr("after another call"));
  const std::string file = scratch.write("minimal.case", caught.minimal);
  const Arguments kernel{"--load", planted_library(), "--impl", "planted::index_select_stale_rows"};
  const auto with_kernel = [&](Arguments arguments) {
    arguments.insert(arguments.end(), kernel.begin(), kernel.end());
    return run(arguments);
  };
  const Ended replayed = with_kernel({"replay", file, "--no-ledger"});
  EXPECT_EQ(replayed.code, 77);
  EXPECT_THAT(replayed.out, HasSubstr(caught.finding.at("signature").get<std::string>()));
  const Ended shrunk = with_kernel({"shrink", file});
  EXPECT_EQ(shrunk.out, caught.minimal);
  EXPECT_THAT(with_kernel({"export", file, "--as", "py"}).out, HasSubstr("earlier_call_0()\n"));
  EXPECT_THAT(with_kernel({"show", file}).out,
              AllOf(HasSubstr("2 cases that run in one process"), HasSubstr("FAILS, value")));
}

TEST(Sequence, MayBeManyCallsOfTheSame) {
  const Scratch scratch;
  const Caught caught = catch_first("index_select_wrong_after_100", scratch);
  ASSERT_FALSE(caught.finding.is_null());
  EXPECT_THAT(caught.finding.at("signature").get<std::string>(),
              HasSubstr("after 100 other calls"));
  EXPECT_EQ(caught.finding.at("reruns"), "10/10");
}

TEST(Sequence, KeepsTheNumberOfThreadsOfEachCall) {
  const Scratch scratch;
  const Caught caught = catch_first("index_select_room_for_first_threads", scratch);
  ASSERT_FALSE(caught.finding.is_null());
  EXPECT_THAT(caught.finding.at("signature").get<std::string>(),
              AllOf(HasSubstr("several threads"), HasSubstr("after another call")));
  const auto judged = caught.minimal.rfind("index_select");
  EXPECT_EQ(caught.minimal.find("threads="), caught.minimal.find("threads=", judged));
  const std::string file = scratch.write("minimal.case", caught.minimal);
  EXPECT_EQ(run({"replay", file, "--no-ledger", "--load", planted_library(), "--impl",
                 "planted::index_select_room_for_first_threads"})
                .code,
            77);
}

TEST(Intermittent, FailsInSomeRuns) {
  const Scratch scratch;
  const Caught caught = catch_first("index_select_wrong_one_in_100", scratch);
  ASSERT_FALSE(caught.finding.is_null());
  EXPECT_EQ(caught.finding.at("kind"), "value");
  const std::string reruns = caught.finding.at("reruns");
  EXPECT_LT(std::atoi(reruns.c_str()), std::atoi(reruns.substr(reruns.find('/') + 1).c_str()));
  EXPECT_THAT(caught.finding.at("signature").get<std::string>(), Not(HasSubstr("after")));
  EXPECT_EQ(caught.summary.at("unconfirmed"), 0) << "what showed at last was confirmed";
}

TEST(Intermittent, IsShrunkAlsoWhereOneCallInThousandsFails) {
  const Scratch scratch;
  const Caught caught = catch_first("index_select_every_10000", scratch);
  ASSERT_FALSE(caught.finding.is_null());
  EXPECT_LE(caught.finding.at("elements"), 4);
}

class Suspicious : public testing::TestWithParam<const char*> {};

TEST_P(Suspicious, RaisesNoAlarm) {
  const Scratch scratch;
  const Ended ended =
      run(fuzz_one("index_select", std::string("correct::") + GetParam(), scratch / "o",
                   {"--seed", "1", "--cases", "20000", "--timeout", "2s"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_THAT(summary.at("findings"), IsEmpty());
  EXPECT_EQ(summary.at("unconfirmed"), 0);
}

INSTANTIATE_TEST_SUITE_P(Command, Suspicious,
                         testing::Values("index_select_cached_rows", "index_select_lazy_scratch",
                                         "index_select_servant", "index_select_slow_first_call"),
                         [](const auto& info) { return std::string(info.param); });

/// The process ids of a process' children.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    if (!std::getline(file, text)) continue;
    const std::size_t name_end = text.rfind(") ");
    if (name_end == std::string::npos) continue;
    if (std::atoi(text.c_str() + name_end + 4) == parent)
      found.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return found;
}

/// The processes of any session that still map a file, by its path.
std::vector<std::string> processes_that_map(const std::string& path) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream maps(entry.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(path) == std::string::npos) continue;
      found.push_back(entry.path().filename());
      break;
    }
  }
  return found;
}

TEST(LeftRunning, NoProcessOutlivesTheSupervisor) {
  const Scratch scratch;
  const std::string library = scratch / "libplanted.so";
  fs::copy(planted_library(), library);
  Arguments arguments = fuzz_one("index_select", "planted::index_select_keeps_process",
                                 scratch / "o", {"--time", "60s", "--seed", "1"});
  std::replace(arguments.begin(), arguments.end(), planted_library(), library);
  Command campaign(arguments);
  for (int i = 0; i < 300 && campaign.err().find("saved") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THAT(campaign.err(), HasSubstr("saved"));
  campaign.signal(SIGKILL);
  campaign.wait();
  for (int i = 0; i < 400 && !processes_that_map(library).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(processes_that_map(library), IsEmpty());
}

/// A campaign against a correct kernel, once cases are judged.
class Killed : public testing::Test {
 protected:
  Scratch scratch;
  Command campaign{
      fuzz_one("gather", "correct::gather_strided", scratch / "o",
               {"--seed", "1", "--cases", "400000", "--timeout", "60s", "--legal-only"})};

  pid_t zygote() {
    for (int i = 0; i < 600; ++i) {
      for (const pid_t pid : children_of(campaign.pid())) {
        const std::vector<pid_t> workers = children_of(pid);
        if (workers.empty()) continue;
        // One that asks the driver for GPUs, before the zygote is ready, is gone at once.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (children_of(pid) == workers) return pid;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return -1;
  }
  void expect_good_end() {
    const Ended ended = campaign.wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto summary = read_json(scratch / "o/summary.json");
    EXPECT_EQ(summary.at("state"), "done");
    EXPECT_THAT(summary.at("findings"), IsEmpty());
    EXPECT_GE(summary.at("mix").at("drawn"), 399'999);
  }
};

TEST_F(Killed, AWorkerIsReplaced) {
  const pid_t parent = zygote();
  ASSERT_GT(parent, 0);
  std::vector<pid_t> workers;
  // Between two turns there is none.
  for (int i = 0; i < 1000 && workers.empty(); ++i) {
    workers = children_of(parent);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_THAT(workers, Not(IsEmpty()));
  kill(workers.front(), SIGKILL);
  expect_good_end();
}

TEST_F(Killed, AZygoteIsStartedAgain) {
  const pid_t parent = zygote();
  ASSERT_GT(parent, 0);
  kill(parent, SIGKILL);
  expect_good_end();
}

}  // namespace
}  // namespace indexfuzz
