// One case under the tools of this machine. A script stands for Python where only the way to it
// matters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "campaign/programs/toolchain.h"
#include "command.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

// Wrong in every setting, by a shape.
constexpr const char* kCase =
    "indexfuzz case 1\nindex_select functional\nself float32 ()\nindex int64 (1) fill=first\n";
constexpr const char* kZeroDim = "planted::index_select_zero_dim_shape";
// Reads the element behind self, which no other allocation follows.
constexpr const char* kOneTooFar =
    "indexfuzz case 1\nindex_select functional breaks=index_above\nself float32 (1) guard=right\n"
    "index int64 (1) fill=first\n";

class Diagnose : public testing::Test {
 protected:
  /// A Python with torch that runs every program by these lines of a shell.
  std::string python(const std::string& program) const {
    const std::string file = scratch_.write(
        "python", "#!/bin/sh\nif [ \"$1\" = -c ]; then echo 2.11.0; exit; fi\n" + program + "\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  Arguments diagnose(const std::string& text, const std::string& kernel,
                     const Arguments& more) const {
    Arguments all{"diagnose", scratch_.write("one.case", text),
                  "--load",   planted_library(),
                  "--impl",   kernel};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Scratch scratch_;
};

std::string regression(const std::string& name) {
  return std::string(config::kCorpusDir) + "/regressions/" + name + ".case";
}

TEST_F(Diagnose, SaysWithHowManyThreadsItIsWrong) {
  const std::string several = python(
      "grep -q 'set_num_threads(1)' $1 && exec echo right\n[ \"$OMP_NUM_THREADS\" = 4 ] || exit 9\n"
      "echo 'WRONG: elements [0]'; exit 1");
  const Ended ended = run(diagnose(kCase, kZeroDim, {"--python", several}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(
      ended.out,
      "plain              right        right\n"
      "one-thread         skipped      the case itself has as many threads\n"
      "four-threads       wrong        WRONG: elements [0]\n"
      "no-vectors         right        right\n"
      "compute-sanitizer  skipped      the call runs on the CPU\n"
      "gdb                skipped      the case neither crashes nor touches memory beside its "
      "own\n"
      "valgrind           skipped      the case neither crashes nor touches memory beside its "
      "own\n"
      "wrong in 1 of 3: only with several threads\n");
}

TEST_F(Diagnose, SaysWhetherVectorInstructionsMatterAndKeepsTheLogs) {
  const std::string scalar =
      python("grep -q 'ATEN_CPU_CAPABILITY.*default' $1 || exec echo right\necho WRONG: x; exit 1");
  const Ended ended = run(
      diagnose(kCase, kZeroDim, {"--python", scalar, "--out", scratch_ / "new/logs", "--json"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto found = nlohmann::json::parse(ended.out);
  EXPECT_EQ(found.at("case"), scratch_ / "one.case");
  EXPECT_EQ(found.at("implementation"), kZeroDim);
  EXPECT_EQ(found.at("conclusion").at(0), "wrong in 1 of 3: only without wide vector instructions");
  const auto& tools = found.at("tools");
  ASSERT_EQ(tools.size(), 7);
  EXPECT_EQ(tools[3], nlohmann::json::parse(R"({"name": "no-vectors", "state": "ran",
      "shown": "wrong", "says": ["WRONG: x"], "log": ")" +
                                            scratch_ / "new/logs/no-vectors.log" + "\"}"));
  EXPECT_EQ(tools[1].at("state"), "skipped");
  EXPECT_TRUE(tools[1].at("log").is_null());
  EXPECT_THAT(read_text(scratch_ / "new/logs/no-vectors.log"),
              AllOf(HasSubstr(scalar + " " + scratch_ / "new/logs/no-vectors.py"),
                    HasSubstr("\nWRONG: x\n")));
}

TEST_F(Diagnose, IsInconclusiveWhereNoToolCanTell) {
  const Ended ended = run(
      diagnose(kCase, kZeroDim, {"--python", python("exec sleep 100"), "--tool-timeout", "1s"}));
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("plain              timed out    did not end in time\n"),
                               HasSubstr("\nno run of the program can tell\n")));
}

TEST_F(Diagnose, RefusesWhatItCannotRun) {
  const auto refused = [&](const Arguments& more) {
    const Ended ended = run(diagnose(kCase, kZeroDim, more));
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_THAT(refused({"--python", "/nowhere/python"}), HasSubstr("there is no such program"));
  EXPECT_THAT(refused({"--tool-timeout", "soon"}), HasSubstr("'soon' is not a length of time"));
  EXPECT_THAT(refused({"--out", "/dev/null/x"}), HasSubstr("cannot create the folder /dev/null/x"));
  EXPECT_THAT(refused({"--tools", "gdb"}), HasSubstr("--tools"));
  EXPECT_EQ(run({"diagnose"}).code, 1);
  EXPECT_EQ(run({"diagnose", scratch_ / "none.case"}).code, 1);
}

/// `indexfuzz ARGUMENTS` by the Python of `doctor`, with this PATH.
Ended run_with_path(const std::string& path, const Arguments& arguments) {
  Arguments all{"/usr/bin/env", "PATH=" + path, std::string(config::kBuildDir) + "/indexfuzz"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--python", default_python(), "--tool-timeout", "9m"});
  Subprocess program(all, std::chrono::minutes(10));
  return run(program);
}

/// The same with something in place of a tool that takes long and does not matter.
Ended run_without(const std::string& tool, const Arguments& arguments) {
  const Scratch folder;
  fs::permissions(folder.write(tool, "#!/bin/sh\nexit 9\n"), fs::perms::owner_all);
  return run_with_path(folder / ":" + getenv("PATH"), arguments);
}

const Arguments kCrash{"diagnose", regression("embedding_dense_backward_functional_45a9"), "--impl",
                       "aten:cpu"};

TEST_F(Diagnose, FindsAValueThatOnlySeveralThreadsGetWrong) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Ended ended =
      run(diagnose("indexfuzz case 1\nindex_select functional threads=9\nself float32 (1)\n"
                   "index int64 (32768) fill=first\n",
                   "planted::index_select_seam_between_threads", {"--python", default_python()}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\none-thread         right        right\n"));
  EXPECT_THAT(ended.out, HasSubstr("\nwrong in 3 of 4: only with several threads\n"));
}

TEST_F(Diagnose, WithoutToolsSaysWhatToInstall) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Ended ended = run_with_path("", kCrash);
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("there is no gdb; install the package gdb\n"),
                    HasSubstr("there is no valgrind; install the package valgrind\n"),
                    HasSubstr("plain              wrong        WRONG: the call ended the process, "
                              "by signal 11\n"),
                    HasSubstr("\nwrong in all 3 runs\n")));
}

TEST_F(Diagnose, GdbNamesTheFunctionOfPyTorchThatCrashes) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  if (!in_path("gdb")) GTEST_SKIP() << "skipped: this machine has no gdb";
  const Ended ended = run_without("valgrind", kCrash);
  if (ended.out.find("ptrace is not permitted") != std::string::npos)
    GTEST_SKIP() << "skipped: gdb may not trace programs here";
  EXPECT_THAT(ended.out, HasSubstr("\ngdb: SIGSEGV in at::native::embedding_dense_backward_cpu "
                                   "(libtorch_cpu.so)\n"));
}

TEST_F(Diagnose, ValgrindNamesTheBlockThatAKernelLeaves) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  if (!in_path("valgrind")) GTEST_SKIP() << "skipped: this machine has no valgrind";
  const Ended ended =
      run_without("gdb", diagnose(kOneTooFar, "planted::index_select_bound_off_by_one", {}));
  EXPECT_THAT(ended.out, HasSubstr("\ngdb                cannot tell  it did not see the program "
                                   "end\n"));
  EXPECT_THAT(ended.out,
              ContainsRegex("\nvalgrind: Invalid read of size 4 in planted::[^\n]*: "
                            "Address 0x[0-9a-f]+ is 0 bytes after a block of size 64 alloc'd\n"));
}

}  // namespace
}  // namespace indexfuzz
