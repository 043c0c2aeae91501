// The program of a case under several versions of PyTorch. Scripts stand for their Pythons.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "campaign/programs/toolchain.h"
#include "command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCase =
    "indexfuzz case 1\nindex_select functional\nself float32 ()\nindex int64 (1) fill=first\n";
constexpr const char* kRight = "echo right";
constexpr const char* kWrong = "echo 'WRONG: elements [0]'; exit 1";
constexpr const char* kCannotTell = "echo cannot tell: no GPU; exit 125";

class Bisect : public testing::Test {
 protected:
  /// A Python that answers `-c` by these lines of a shell, and runs every program by `program`.
  std::string python(const std::string& name, const std::string& answer,
                     const std::string& program) const {
    const std::string file =
        scratch_.write(name, "#!/bin/sh\nif [ \"$1\" = -c ]; then\n" + answer +
                                 "\nelse\n[ -s \"$1\" ] || exit 9\n" + program + "\nfi\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  std::string with_torch(const std::string& version, const std::string& program) const {
    return python("python-" + version, "echo " + version, program);
  }
  Arguments bisect(const Arguments& pythons) const {
    Arguments arguments{"bisect", scratch_.write("one.case", kCase), "--impl", "aten:cpu",
                        "--python"};
    arguments.insert(arguments.end(), pythons.begin(), pythons.end());
    return arguments;
  }

  Scratch scratch_;
};

TEST_F(Bisect, NamesTheFirstBadAndTheLastGoodVersionInTheirOrder) {
  const Ended ended = run(bisect({with_torch("2.10.0", kWrong), with_torch("2.9.0+cu126", kWrong),
                                  with_torch("2.8.0", kRight), with_torch("2.7.1", kRight)}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "torch        result       printed\n"
            "2.7.1        right        right\n"
            "2.8.0        right        right\n"
            "2.9.0+cu126  wrong        WRONG: elements [0]\n"
            "2.10.0       wrong        WRONG: elements [0]\n"
            "first bad 2.9.0+cu126, last good 2.8.0\n");
  EXPECT_THAT(ended.err, AllOf(HasSubstr("1/4 torch 2.7.1 of "), HasSubstr("2.10.0: wrong\n")));
}

TEST_F(Bisect, ListsEveryChange) {
  const std::string bad = with_torch("2.7.0", kWrong), good = with_torch("2.8.0", kRight),
                    bad_again = with_torch("2.9.0", kWrong),
                    good_again = with_torch("2.11.0", kRight);
  EXPECT_THAT(run(bisect({bad, good, bad_again, good_again})).out,
              HasSubstr("\nfirst good 2.8.0, last bad 2.7.0\n"
                        "first bad again 2.9.0, last good 2.8.0\n"
                        "first good again 2.11.0, last bad 2.9.0\n"));
  EXPECT_THAT(run(bisect({good, bad_again, good_again})).out,
              HasSubstr("\nfirst bad 2.9.0, last good 2.8.0\n"
                        "first good again 2.11.0, last bad 2.9.0\n"));
}

TEST_F(Bisect, PassesOverVersionsThatCannotTell) {
  const Ended ended = run(bisect({with_torch("2.7.0", kCannotTell), with_torch("2.8.0", kRight),
                                  with_torch("2.9.0", kCannotTell), with_torch("2.10.0", kWrong)}));
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("\n2.9.0   cannot tell  cannot tell: no GPU\n"),
                    HasSubstr("\nfirst bad 2.10.0, last good 2.8.0 (2.9.0 cannot tell)\n")));
}

TEST_F(Bisect, SaysThatAllAreGoodOrBad) {
  EXPECT_THAT(run(bisect({with_torch("2.8.0", kRight), with_torch("2.9.0", kCannotTell),
                          with_torch("2.10.0", kRight)}))
                  .out,
              HasSubstr("\nno bad version: right from 2.8.0 to 2.10.0 (2.9.0 cannot tell)\n"));
  EXPECT_THAT(run(bisect({with_torch("2.8.0", kWrong)})).out,
              HasSubstr("\nno good version: wrong in 2.8.0\n"));
}

TEST_F(Bisect, IsInconclusiveWhereNoVersionCanTell) {
  // An exit code alone is no answer: so Python ends for a program that it cannot read.
  const Ended ended = run(bisect(
      {with_torch("2.8.0", kCannotTell), with_torch("2.9.0", "echo SyntaxError: none; exit 1")}));
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("\n2.9.0  cannot tell  SyntaxError: none\n"),
                               HasSubstr("\nno version can tell\n")));
}

TEST_F(Bisect, SaysWhereVersionsAreWrongInOtherWays) {
  const std::string refuses =
      with_torch("2.7.0",
                 "echo 'expected: a result'; echo 'actual:   RuntimeError: no int32'; "
                 "echo 'WRONG: the call ended with this error'; exit 1");
  const std::string dies = with_torch("2.8.0", "kill -SEGV $$");
  const Ended ended = run(bisect({refuses, dies}));
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("wrong        WRONG: the call ended with this error; actual: "
                              "RuntimeError: no int32\n"),
                    HasSubstr("\n2.8.0  wrong        died of signal 11\n"),
                    HasSubstr("\nno good version: wrong from 2.7.0 to 2.8.0\n"
                              "not all are wrong in the same way")));
  EXPECT_THAT(run(bisect({with_torch("2.7.0", kWrong), with_torch("2.8.0", kWrong)})).out,
              Not(HasSubstr("same way")));
}

TEST_F(Bisect, RefusesAPythonWithoutTorch) {
  const auto refused = [&](const std::string& python) {
    const Ended ended = run(bisect({with_torch("2.8.0", kRight), python}));
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr("--python " + python + ": "));
    EXPECT_THAT(ended.err, HasSubstr("; give a Python that can import torch.\n"));
    return ended.err;
  };
  EXPECT_THAT(refused("/nowhere/python"), HasSubstr("there is no such program"));
  EXPECT_THAT(refused(python("bare", "echo \"No module named 'torch'\"; exit 1", kRight)),
              HasSubstr("`import torch` exited with 1: No module named 'torch';"));
  EXPECT_THAT(refused(python("odd", "echo hello", kRight)),
              HasSubstr("it printed 'hello' instead of a version;"));
  const Ended none = run({"bisect", "one.case"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("--python"));
}

TEST_F(Bisect, EndsSoonAfterAnInterrupt) {
  Command command(bisect({with_torch("2.8.0", "sleep 100")}));
  std::this_thread::sleep_for(std::chrono::seconds(3));
  command.signal(SIGINT);
  EXPECT_EQ(command.wait(std::chrono::seconds(20)).code, 72);
}

TEST_F(Bisect, RunsTheProgramOfAKernelUnderARealPython) {
  const std::string python = default_python();
  Subprocess import_torch({python.empty() ? "false" : python, "-c", "import torch"},
                          std::chrono::seconds(60));
  if (!import_torch.wait().is_success())
    GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Ended ended = run({"bisect", scratch_.write("one.case", kCase), "--load", planted_library(),
                           "--impl", "planted::index_select_zero_dim_shape", "--python", python});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("  wrong        WRONG: shape or dtype"),
                               ContainsRegex("\nno good version: wrong in 2\\.[0-9.]+")));
}

}  // namespace
}  // namespace indexfuzz
