// Cases that are exported as tests, run as their readers run them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "campaign/programs/toolchain.h"
#include "command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kWrong = "planted::index_select_zero_dim_shape";
constexpr const char* kCorrect = "correct::index_select_strided";
constexpr const char* kNoDims =
    "indexfuzz case 1\nindex_select functional\nself float32 ()\nindex int64 (1) fill=first\n";

/// What the files need of pytest, for a Python that has none.
constexpr const char* kStandIn = R"py(
import importlib
import os
import sys


class Skipped(Exception):
    pass


def skip(reason):
    raise Skipped(reason)


def fail(reason, pytrace=True):
    raise AssertionError(reason)


importorskip = importlib.import_module
if __name__ == "__main__":
    import pytest

    folder, file = os.path.split(sys.argv[-1])
    sys.path.insert(0, folder)
    counts = {"failed": 0, "passed": 0, "skipped": 0}
    for name, test in vars(importlib.import_module(file[:-3])).items():
        if name.startswith("test_"):
            try:
                test()
                outcome = "passed"
            except pytest.Skipped as reason:
                outcome = "skipped"
                print(reason)
            except AssertionError as reason:
                outcome = "failed"
                print(name, reason)
            counts[outcome] += 1
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count))
    sys.exit(counts["failed"] > 0)
)py";

Ended run_program(const Arguments& argv) {
  Subprocess program(argv, std::chrono::seconds(120));
  return run(program);
}

/// `pytest FILE`, by the Python that runs repro.py.
Ended run_pytest(const std::string& file) {
  const std::string python = default_python();
  if (run_program({python, "-c", "import pytest"}).code == 0)
    return run_program({python, "-m", "pytest", "-p", "no:cacheprovider", file});
  const Scratch stand_in;
  stand_in.write("pytest.py", kStandIn);
  return run_program({"env", "PYTHONPATH=" + stand_in / "", python, "-m", "pytest", file});
}

/// The file that `export --as FORM` writes for a kernel of `library`.
std::string exported(const Scratch& scratch, const std::string& form, const std::string& kernel,
                     const std::string& name, const std::string& library = planted_library()) {
  const std::string file = scratch / name;
  const Ended ended = run({"export", scratch.write("zero.case", kNoDims), "--as", form, "--load",
                           library, "--impl", kernel, "-o", file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  return file;
}

TEST(Export, APytestFileFailsWhereTheResultIsWrong) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Scratch scratch;
  const std::string file = exported(scratch, "pytest", kWrong, "test_wrong.py");
  const Ended ended = run_pytest(file);
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("test_index_select_planted_index_select_zero_dim_shape_"),
                               HasSubstr("WRONG: shape or dtype"), HasSubstr("1 failed")));
  const Ended program = run_program({default_python(), file});
  EXPECT_EQ(program.code, 1);
  EXPECT_THAT(program.out, HasSubstr("WRONG: shape or dtype"));
}

TEST(Export, APytestFilePassesWhereTheResultIsRight) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Scratch scratch;
  const std::string file = exported(scratch, "pytest", kCorrect, "test_right.py");
  const Ended ended = run_pytest(file);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("1 passed"));
  EXPECT_EQ(run_program({default_python(), file}).code, 0);
}

TEST(Export, APytestFileOfATenHasThePlainCallBesides) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Scratch scratch;
  const std::string file = exported(scratch, "pytest", "aten:cpu", "test_aten.py");
  const Ended ended = run_pytest(file);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("2 passed"));
}

TEST(Export, APytestFileIsSkippedWhereItCannotTell) {
  if (lacks_torch()) GTEST_SKIP() << "skipped: this machine has no Python with torch";
  const Scratch scratch;
  const std::string library = scratch / "libplanted.so";
  fs::copy_file(planted_library(), library);
  const std::string file = exported(scratch, "pytest", kWrong, "test_wrong.py", library);
  fs::remove(library);
  const Ended ended = run_pytest(file);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("1 skipped"));
  EXPECT_EQ(run_program({default_python(), file}).code, 125);
}

/// All tests of a program, whatever part of its own this process runs.
Ended run_all_tests(const std::string& program) {
  return run_program({"env", "-u", "GTEST_TOTAL_SHARDS", "-u", "GTEST_SHARD_INDEX", program});
}

/// The exported file, compiled as its first line says, and run.
Ended run_gtest(const std::string& source) {
  const std::string program = source + ".program";
  const Arguments compile = compile_command(source, program);
  if (compile.empty()) return {-1, "this machine cannot compile for LibTorch", ""};
  const Ended compiled = run_program(compile);
  return compiled.code == 0 ? run_all_tests(program) : compiled;
}

TEST(Export, AGoogleTestFileFailsWhereTheResultIsWrong) {
  const Scratch scratch;
  const Ended ended = run_gtest(exported(scratch, "gtest", kWrong, "wrong_test.cpp"));
  if (ended.code == -1) GTEST_SKIP() << ended.out;
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("[  FAILED  ] IndexSelect.PlantedIndexSelectZeroDimShape"),
                               HasSubstr("WRONG: shape or dtype")));
}

TEST(Export, AGoogleTestFilePassesOrIsSkippedAccordingly) {
  const Scratch scratch;
  const std::string library = scratch / "libplanted.so";
  fs::copy_file(planted_library(), library);
  const std::string source = exported(scratch, "gtest", kCorrect, "right_test.cpp", library);
  const Ended ended = run_gtest(source);
  if (ended.code == -1) GTEST_SKIP() << ended.out;
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("[  PASSED  ] 1 test."));
  fs::remove(library);
  EXPECT_THAT(run_all_tests(source + ".program").out, HasSubstr("[  SKIPPED ] 1 test"));
}

}  // namespace
}  // namespace indexfuzz
