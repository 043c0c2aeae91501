// Kernels that are written in Python, through --load.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include "command.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A right index_select, and a gather that takes an index for one of another row.
constexpr const char* kKernels = R"py(
import torch
from torch import library


@library.custom_op("mine::index_select", mutates_args=())
def index_select(self: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    if self.dim() == 0 or index.dtype != torch.int64 or index.dim() != 1:
        raise ValueError("no scalars, and one row of int64")
    if not -self.dim() <= dim < self.dim():
        raise IndexError("dim")
    if index.numel() > 0 and not 0 <= int(index.min()) <= int(index.max()) < self.size(dim):
        raise IndexError("index out of range")
    return self.movedim(dim, 0)[index].movedim(0, dim).contiguous()


mine = library.Library("mine", "FRAGMENT")
mine.define("gather(Tensor self, int dim, Tensor index) -> Tensor")


def gather(self, dim, index):
    result = torch.gather(self, dim, index)
    return result.flip(0) if result.dim() == 2 else result


mine.impl("gather", gather, "CPU")
)py";

/// Ends the test where Python cannot be loaded.
bool lacks_python(const std::string& said) {
  return said.find("there is no libpython") != std::string::npos;
}

TEST(PythonFile, AWrongKernelIsFoundAndItsProgramFails) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", kKernels);
  const Ended ended =
      run({"fuzz", "gather", "--load", file, "--impl", "mine::gather", "--jobs", "1", "--seed", "1",
           "--time", "60s", "--max-findings", "1", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1)) << ended.err;
  EXPECT_EQ(findings[0].at("kind"), "value");
  EXPECT_LE(findings[0].at("elements"), 8);
  EXPECT_EQ(findings[0].at("repro_py_verified"), true) << ended.out;
  EXPECT_TRUE(findings[0].at("repro_cpp_verified").is_null());
}

TEST(PythonFile, WhereTheOnlyFindingIsWithdrawnNothingIsVerified) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", R"py(
import torch
from torch import library
mine = library.Library("mine", "FRAGMENT")
mine.define("take(Tensor self, Tensor index) -> Tensor")
mine.impl("take", lambda self, index: torch.take(self, index).unsqueeze(0), "CPU")
)py");
  // A Python in which no program fails.
  const std::string python =
      scratch.write("python", std::string("#!/bin/sh\n[ \"$1\" = -c ] && echo ") +
                                  config::kTorchVersion + "\nexit 0\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const Ended ended =
      run({"fuzz", "take", "--load", file, "--impl", "mine::take", "--jobs", "1", "--seed", "1",
           "--cases", "300", "--legal-only", "--python", python, "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 3) << ended.err << ended.out;
  EXPECT_EQ(read_json(scratch / "o/summary.json").at("reasons"),
            nlohmann::json::array({"inconclusive"}));
}

/// A take that is wrong in 16 bits for two first elements, and for three that are not all the
/// first.
constexpr const char* kWrongInTwoPlaces = R"py(
import torch
from torch import library
mine = library.Library("mine", "FRAGMENT")
mine.define("take(Tensor self, Tensor index) -> Tensor")


def take(self, index):
    result = torch.take(self, index)
    if self.dtype not in (torch.float16, torch.bfloat16):
        return result
    named = int(index.abs().sum())
    if index.numel() == 8:
        wrong = named == 0 and self.dtype == torch.float16
    else:
        wrong = named > 0 and index.numel() == 3
    return result.add(1) if wrong else result


mine.impl("take", take, "CPU")
)py";

TEST(PythonFile, WhatShrinksToACaseWithAllTraitsOfAKnownFailureIsThatOne) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", kWrongInTwoPlaces);
  // Of bfloat16 it has other traits, until it is shrunk to three elements of float16.
  const std::string known = scratch.write("known.case",
                                          "indexfuzz case 1\ntake functional\nself float16 (1)\n"
                                          "index int64 (8) fill=first\n");
  const std::string ledger = scratch.write(
      "ledger.toml", ledger_entry("take on mine::take: value; when self is float16", known));
  const Ended ended =
      run({"fuzz",         "take",       "--load",           file,       "--impl",  "mine::take",
           "--jobs",       "1",          "--seed",           "1",        "--cases", "20000",
           "--legal-only", "--dtypes",   "bfloat16,float16", "--ledger", ledger,    "--no-verify",
           "--out",        scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 0) << ended.out;
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1)) << ended.out;
  EXPECT_EQ(findings[0].at("known"), true);
}

/// An index_select that is right, but leaves a note that a gather goes by.
constexpr const char* kCompanions = R"py(
import torch
from torch import library
mine = library.Library("mine", "FRAGMENT")
mine.define("index_select(Tensor self, int dim, Tensor index) -> Tensor")
mine.define("gather(Tensor self, int dim, Tensor index) -> Tensor")
noted = False


def index_select(self, dim, index):
    global noted
    noted = index.dtype == torch.int32
    return torch.index_select(self, dim, index)


def gather(self, dim, index):
    global noted
    result = torch.gather(self, dim, index)
    wrong, noted = noted, False
    return result.add(1) if wrong else result


mine.impl("index_select", index_select, "CPU")
mine.impl("gather", gather, "CPU")
)py";

TEST(PythonFile, WhatAnotherOperatorOfTheLibraryLeftIsReplayedWithTheCase) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", kCompanions);
  const Ended ended = run({"fuzz", "index_select", "gather", "--load", file, "--impl", "mine",
                           "--jobs", "1", "--seed", "1", "--time", "120s", "--max-findings", "1",
                           "--legal-only", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1)) << ended.err;
  EXPECT_EQ(findings[0].at("implementation"), "mine::gather");
  EXPECT_EQ(findings[0].at("repro_py_verified"), true) << ended.out;
  const std::string minimal =
      scratch / ("o/findings/" + findings[0].at("id").get<std::string>() + "/minimal.case");
  EXPECT_THAT(read_text(minimal), HasSubstr("index_select"));

  const Ended again = run({"replay", minimal, "--load", file, "--impl", "mine", "--no-ledger"});
  EXPECT_EQ(again.code, 77) << again.out << again.err;
  EXPECT_EQ(again.err, "");
  // With nobody behind whom it fails, it passes, and that is all that was asked.
  const std::string right =
      scratch.write("right.case",
                    "indexfuzz case 1\nindex_select functional\nself float32 (2)\n"
                    "index int64 (1) fill=first\n---\ngather functional\nself float32 (2)\n"
                    "index int64 (1) fill=first\n");
  const Ended passes = run({"replay", right, "--load", file, "--impl", "mine", "--no-ledger"});
  EXPECT_EQ(passes.code, 0) << passes.out << passes.err;
}

TEST(PythonFile, ARightKernelIsSilent) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", kKernels);
  const Ended ended =
      run({"fuzz", "index_select", "--load", file, "--impl", "mine::index_select", "--jobs", "1",
           "--seed", "1", "--cases", "20000", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
  EXPECT_THAT(read_json(scratch / "o/summary.json").at("findings"), IsEmpty());
}

TEST(PythonFile, PrintingIsNoRefusalHoweverMuch) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", R"py(
import torch
from torch import library
print("x" * 5_000_000)
def take(self, index):
    print("x" * 20_000)
    return torch.take(self, index)
mine = library.Library("mine", "FRAGMENT")
mine.define("take(Tensor self, Tensor index) -> Tensor")
mine.impl("take", take, "CPU")
)py");
  const Ended ended = run({"fuzz", "take", "--load", file, "--impl", "mine::take", "--jobs", "1",
                           "--seed", "1", "--cases", "10000", "--strict", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
}

TEST(PythonFile, WhatATenDoesNotSupportMayBeRefusedInAnyWords) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", R"py(
import torch
from torch import library
def index_select(self, dim, index):
    if self.dtype == torch.uint16:
        raise TypeError("sixteen unsigned bits are too few")
    return torch.index_select(self, dim, index)
mine = library.Library("mine", "FRAGMENT")
mine.define("index_select(Tensor self, int dim, Tensor index) -> Tensor")
mine.impl("index_select", index_select, "CPU")
)py");
  const Ended ended =
      run({"fuzz", "index_select", "--load", file, "--impl", "mine::index_select", "--jobs", "1",
           "--seed", "1", "--cases", "5000", "--strict", "--no-verify", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("ATen does not support this dtype here, either"));
}

TEST(PythonFile, AThreadOfTheFileIsInNobodysWay) {
  const Scratch scratch;
  const std::string file = scratch.write(
      "mine.py", std::string("import threading, time\n\n\ndef tick():\n    while True:\n"
                             "        time.sleep(0.001)\n\n\n"
                             "threading.Thread(target=tick, daemon=True).start()\n") +
                     kKernels);
  const auto fuzzed = [&](const std::string& op, const std::string& name, const Arguments& more) {
    Arguments arguments{"fuzz",   op,  "--load", file, "--impl", "mine::" + op,
                        "--jobs", "1", "--seed", "1",  "--out",  scratch / name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const Ended right = fuzzed("index_select", "right", {"--cases", "5000"});
  if (lacks_python(right.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(right.code, 0) << right.err << right.out;
  const Ended wrong =
      fuzzed("gather", "wrong", {"--time", "60s", "--max-findings", "1", "--no-verify"});
  EXPECT_EQ(wrong.code, 77) << wrong.err << wrong.out;
}

TEST(PythonFile, AnExitIsNoRefusalAndItsProgramSaysSo) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", R"py(
import sys
import torch
from torch import library
@library.custom_op("mine::take", mutates_args=())
def take(self: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    if index.numel() > 0 and int(index.max()) >= self.numel():
        sys.exit(3)
    return torch.take(self, index)
)py");
  const Ended ended =
      run({"fuzz", "take", "--load", file, "--impl", "mine::take", "--jobs", "1", "--seed", "1",
           "--time", "60s", "--max-findings", "1", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 77) << ended.err;
  const auto findings = read_json(scratch / "o/summary.json").at("findings");
  ASSERT_THAT(findings, SizeIs(1)) << ended.err;
  EXPECT_EQ(findings[0].at("kind"), "refusal");
  EXPECT_EQ(findings[0].at("repro_py_verified"), true) << ended.out;
}

TEST(PythonFile, AShrinkingThatIsInterruptedKeepsWhatItHasAndSaysSo) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", R"py(
import pathlib
import time
import torch
from torch import library
mine = library.Library("mine", "FRAGMENT")
mine.define("take(Tensor self, Tensor index) -> Tensor")


def take(self, index):
    if index.numel() != 8:  # it is being shrunk
        pathlib.Path(__file__).with_name("smaller").touch()
        time.sleep(1)
    return torch.take(self, index).add(1)


mine.impl("take", take, "CPU")
)py");
  const std::string big = scratch.write(
      "big.case",
      "indexfuzz case 1\ntake functional\nself float32 (9)\nindex int64 (8) fill=last\n");
  Command shrinking({"shrink", big, "--load", file, "--impl", "mine::take", "-o", scratch / "new"});
  for (int i = 0; i < 1200 && !std::filesystem::exists(scratch / "smaller"); ++i) {
    if (lacks_python(shrinking.err())) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  shrinking.signal(SIGINT);
  const Ended ended = shrinking.wait();
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 72) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("may not be the smallest"));
  EXPECT_THAT(read_text(scratch / "new"), HasSubstr("take functional"));
}

TEST(PythonFile, OneThatIsLoadedAndNotNamedIsSaidNotToBeTested) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", kKernels);
  const Ended ended = run({"fuzz", "gather", "--load", file, "--jobs", "1", "--cases", "256",
                           "--no-verify", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_THAT(ended.err, HasSubstr("--impl NAMESPACE tests its kernels"));
}

TEST(PythonFile, ACustomOpForTheGpuHasNoCpuSide) {
  const Scratch scratch;
  const std::string file = scratch.write("mine.py", R"py(
import torch
from torch import library
@library.custom_op("mine::take", mutates_args=(), device_types="cuda")
def take(self: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.take(self, index)
)py");
  const Ended ended =
      run({"fuzz", "take", "--load", file, "--impl", "mine::take@cpu", "--out", scratch / "o"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_THAT(ended.err, HasSubstr("mine::take fits take, but has a kernel for CUDA tensors only"));
}

TEST(PythonFile, OneThatCannotBeImportedIsNamedWithItsLine) {
  const Scratch scratch;
  const auto said_of = [&](const std::string& text) {
    const std::string file = scratch.write("mine.py", text);
    const Ended ended = run({"fuzz", "gather", "--load", file, "--impl", "mine::gather"});
    EXPECT_EQ(ended.code, 1) << ended.err;
    return ended.err;
  };
  const std::string said = said_of("import torch\nimport no_such_module\n");
  if (lacks_python(said)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_THAT(said, HasSubstr("mine.py cannot be loaded: line 2 raised ModuleNotFoundError: "
                              "No module named 'no_such_module'; \""));
  EXPECT_THAT(said_of("def f(:\n"), HasSubstr("line 1 raised SyntaxError"));
  EXPECT_THAT(said_of("import sys\nsys.exit(3)\n"), HasSubstr("line 2 raised SystemExit: 3"));
  EXPECT_THAT(said_of("raise KeyboardInterrupt\n"), HasSubstr("raised KeyboardInterrupt; \""));
  EXPECT_THAT(said_of("x = 1\n"), HasSubstr("mine::gather is not registered"));
  EXPECT_THAT(run({"fuzz", "--load", scratch / "none.py", "--impl", "mine"}).err,
              HasSubstr("there is no such file"));
}

TEST(PythonFile, WhatTorchCompileMakesOfOperatorsIsTestedLikeKernels) {
  const std::filesystem::path source = config::kSourceDir;
  const Ended ended = run({"replay", source / "corpus/regressions/take_decomposed_6eec.case",
                           source / "corpus/seeds/tril", "--load",
                           source / "scripts/decompositions.py", "--impl", "decomposed"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("on decomposed::take: take on decomposed::take: metadata"));
  EXPECT_THAT(ended.out, HasSubstr(" 1 known, 0 failed"));
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr(" 0 passed")));
}

TEST(PythonFile, WhatInductorMakesOfOperatorsIsTestedLikeKernels) {
  const Scratch scratch;
  if (std::system("c++ --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "skipped: without a C++ compiler nothing is compiled";
  const std::string right =
      scratch.write("right.case",
                    "indexfuzz case 1\nslice_scatter functional start=none end=1 step=1\n"
                    "self float32 (2, 2)\nsrc float32 (1, 2)\n");
  const std::string expanded =
      scratch.write("expanded.case",
                    "indexfuzz case 1\nslice_scatter functional start=none end=none step=1\n"
                    "self float32 (2) expanded=(0) repeats=(0)\nsrc float32 (2)\n");
  const std::filesystem::path source = config::kSourceDir;
  const Ended ended = run({"replay", right, expanded, "--load", source / "scripts/compiled.py",
                           "--impl", "compiled", "--strict", "--timeout", "90s", "--no-ledger"});
  if (lacks_python(ended.err)) GTEST_SKIP() << "skipped: this machine has no shared libpython";
  EXPECT_THAT(ended.out, HasSubstr("passed   " + right + " on compiled::slice_scatter"))
      << ended.err;
  // Of this torch it is known that the result is then as expanded as self.
  if (!std::string_view(config::kTorchVersion).starts_with("2.11.")) return;
  EXPECT_EQ(ended.code, 77) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("when self is expanded (elements of the result share memory)"));
}

}  // namespace
}  // namespace indexfuzz
