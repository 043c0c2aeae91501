#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "../cli/command.h"
#include "campaign/programs/toolchain.h"
#include "campaign/workers/subprocess.h"
#include "judge/judge_death.h"
#include "reproduction_of.h"

namespace indexfuzz {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Program, PythonBuildsTheLayoutAndCompares) {
  const std::string text = python_program(reproduction_of(kStrided, Kind::kValue));
  EXPECT_THAT(text, HasSubstr("self = self_storage.view(3, 2).t()\n"));
  EXPECT_THAT(text, HasSubstr("self.copy_(torch.arange(1, 7.).view(2, 3))\n"));
  EXPECT_THAT(text, HasSubstr("index = torch.tensor([2, 2])\n"));
  EXPECT_THAT(text, HasSubstr("actual = torch.index_select(self, 1, index)\n"));
  EXPECT_THAT(text, HasSubstr("expected = torch.tensor([[3., 3.], [6., 6.]])\n"));
  EXPECT_THAT(text, Not(HasSubstr("subprocess")));
  EXPECT_THAT(text, Not(HasSubstr("mprotect")));
}

TEST(Program, AListMayHoldNothing) {
  const std::string_view case_text =
      "indexfuzz case 1\nindex_put functional breaks=no_indices\nself float32 (2)\n"
      "values float32 ()\nindices int64 (1) fill=first\n";
  EXPECT_THAT(python_program(reproduction_of(case_text, Kind::kAssert)),
              HasSubstr("torch.ops.aten.index_put(self, [], values, False)\n"));
  EXPECT_THAT(
      cpp_program(reproduction_of(case_text, Kind::kAssert)),
      HasSubstr("at::index_put(self, c10::List<std::optional<at::Tensor>>({}), values, false)"));
}

TEST(Program, AListMayLackAllIntegersOrHoldOneMore) {
  const auto calls = [](std::string_view rule) {
    const std::string text =
        "indexfuzz case 1\nreflection_pad1d functional left=1 right=2 breaks=" + std::string(rule) +
        "\nself float32 (1, 3)\n";
    return std::pair(python_program(reproduction_of(text, Kind::kCrash)),
                     cpp_program(reproduction_of(text, Kind::kCrash)));
  };
  const auto [python_empty, cpp_empty] = calls("padding_empty");
  EXPECT_THAT(python_empty, HasSubstr("torch.ops.aten.reflection_pad1d(self, [])"));
  EXPECT_THAT(cpp_empty, HasSubstr("at::reflection_pad1d(self, {})"));
  const auto [python_longer, cpp_longer] = calls("padding_longer");
  EXPECT_THAT(python_longer, HasSubstr("torch.ops.aten.reflection_pad1d(self, [1, 2, 2])"));
  EXPECT_THAT(cpp_longer,
              HasSubstr("at::reflection_pad1d(self, {int64_t{1}, int64_t{2}, int64_t{2}})"));
}

TEST(Program, ACrashRunsInAChild) {
  const std::string text = python_program(reproduction_of(kStrided, Kind::kCrash));
  EXPECT_THAT(text, HasSubstr("subprocess.Popen"));
  EXPECT_THAT(text, Not(HasSubstr("mprotect")));
}

TEST(Program, NotToAnswerIsWrongWhereThatIsTheFindingAlone) {
  for (const Kind kind : {Kind::kCrash, Kind::kHang}) {
    const Reproduction r = reproduction_of(kStrided, kind);
    const char* const wrong = "WRONG: no answer within ";
    const char* const open = "cannot tell: no answer within ";
    for (const std::string& text : {python_program(r), cpp_program(r)}) {
      EXPECT_THAT(text, HasSubstr(kind == Kind::kHang ? wrong : open));
      EXPECT_THAT(text, Not(HasSubstr(kind == Kind::kHang ? open : wrong)));
    }
  }
}

TEST(Program, ALibraryLiesWhereItLiesWhateverItsNameHolds) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  r.call.custom = true;
  r.call.libraries = {"/home/jörg/lib\"mine\".so"};
  EXPECT_THAT(python_program(r), HasSubstr(R"([1:] or ["/home/jörg/lib\"mine\".so"]:)"));
  r.call.libraries = {"/tmp/\xff.so"};
  EXPECT_THAT(python_program(r), HasSubstr(R"([1:] or [os.fsdecode(b"/tmp/\377.so")]:)"));
  EXPECT_THAT(cpp_program(r), HasSubstr(R"({"/tmp/\377.so"})"));
}

constexpr ProgramEnd kCannotTell{ProgramEnd::How::kExited, 125};

/// How a Python program ends for which these lines are torch.
ProgramEnd ended_with_torch(const std::string& torch, const std::string& program) {
  const Scratch scratch;
  scratch.write("torch.py", torch);
  Subprocess process({default_python(), scratch.write("repro.py", program)},
                     std::chrono::seconds(60));
  return process.wait();
}

TEST(Program, CannotTellWithoutAWorkingTorch) {
  if (default_python().empty()) GTEST_SKIP() << "this machine has no Python";
  for (const Kind kind : {Kind::kValue, Kind::kCrash, Kind::kMemory}) {
    const std::string text = python_program(reproduction_of(kStrided, kind));
    EXPECT_EQ(ended_with_torch("raise ModuleNotFoundError('torch')\n", text), kCannotTell) << text;
    EXPECT_EQ(ended_with_torch("raise RuntimeError('built for another driver')\n", text),
              kCannotTell);
    EXPECT_EQ(ended_with_torch("", text), kCannotTell) << "it lacks what the program uses";
  }
}

TEST(Program, MemoryLiesAgainstAnInaccessiblePage) {
  const std::string text = python_program(reproduction_of(kStrided, Kind::kMemory));
  EXPECT_THAT(
      text, HasSubstr("self_region, self_storage = guarded(24, 0, 24, \"left\", torch.float32)\n"));
  EXPECT_THAT(text, HasSubstr("MALLOC_CHECK_"));
}

TEST(Program, OfSlicesFarApartOnlyTheSlicesAreMemory) {
  const Reproduction r = reproduction_of(
      "indexfuzz case 1\nindex_select functional\n"
      "self float32 (3, 2) slices=far\nindex int64 (1) fill=last\n",
      Kind::kValue);
  EXPECT_THAT(python_program(r),
              HasSubstr("guarded(17179869192, 0, 8, \"left\", torch.float32, 3, 8589934592)\n"
                        "self = self_storage.as_strided((3, 2), (2147483648, 1), 0)\n"));
  EXPECT_THAT(python_program(r), HasSubstr("\"self\": self_region"));
  EXPECT_THAT(
      cpp_program(r),
      HasSubstr("{2147483648, 1}, 0, 2, /* around it */ 0xFE, /* bytes behind the first page */ 0, "
                "/* slices */ 3, /* bytes apart */ 8589934592);"));
}

TEST(Program, OfATableOnlyTheLastSlicesAreFilledAndCompared) {
  const Reproduction r = reproduction_of(
      "indexfuzz case 1\nindex_fill.int_Scalar in-place dim=0\n"
      "self float32 (3, 2) slices=last\nindex int64 (1) fill=last\nvalue int64 () fill=ones\n",
      Kind::kValue);
  const std::string python = python_program(r), cpp = cpp_program(r);
  EXPECT_THAT(python, HasSubstr("self = table((1073741827, 2), torch.float32)\n"
                                "self_last = self[1073741824:]\n"
                                "self_last.copy_(torch.arange(1, 7.).view(3, 2))\n"
                                "index = torch.tensor([1073741826])\n"));
  EXPECT_THAT(python, HasSubstr("memory = {\"self\": self_last, \"index\": index}"));
  EXPECT_THAT(python, HasSubstr("\nactual = self_memory.clone()\n"));
  EXPECT_THAT(cpp, HasSubstr("/* slices in front */ 1073741824);"));
  EXPECT_THAT(cpp, HasSubstr("actual = self_memory.narrow(0, 1073741824, 3);"));
  EXPECT_THAT(issue_text(r), HasSubstr("self = torch.empty((1073741827, 2), dtype=torch.float32)\n"
                                       "self[1073741824:] = torch.arange(1, 7.).view(3, 2)\n"));
}

TEST(Program, AnIntermittentFindingIsRepeated) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  r.reruns = {3, 10};
  EXPECT_THAT(python_program(r), HasSubstr("for attempt in range(1000):\n    self_storage"));
  EXPECT_THAT(cpp_program(r), HasSubstr("attempt < 1000"));
  r.c.environment.threads = 4;
  EXPECT_THAT(cpp_program(r), HasSubstr("attempt < 10000"));
  r.reruns = {2, 1009};
  EXPECT_THAT(cpp_program(r), HasSubstr("attempt < 50450"));
  r.verdict.kind = Kind::kMemory;
  EXPECT_THAT(cpp_program(r), HasSubstr("attempt < 5000"));
}

TEST(Program, AMeanMayBeOffByItsRoundings) {
  const Reproduction r = reproduction_of(
      "indexfuzz case 1\nscatter_reduce functional reduce=mean\nself float32 (2) fill=sums1\nindex "
      "int64 (2) fill=last\nsrc float32 (2) fill=sums1\n",
      Kind::kValue);
  const std::string python = python_program(r);
  EXPECT_THAT(python, HasSubstr("tolerance = {\n    1: "));
  EXPECT_THAT(python, HasSubstr("not (i in tolerance and "));
  EXPECT_THAT(cpp_program(r), HasSubstr("kTolerances = 2;\nconst double tolerances[] = {0, "));
  EXPECT_THAT(python_program(reproduction_of(kStrided, Kind::kValue)), Not(HasSubstr("tolerance")));
}

TEST(Program, AResultThatChangesIsComparedWithTheFirst) {
  constexpr std::string_view kTwoValues =
      "indexfuzz case 1\nindex_copy functional dim=0\nself float32 (1)\nindex int64 (2) "
      "fill=first\nsource float32 (2)\n";
  const Reproduction r = reproduction_of(kTwoValues, Kind::kNondeterminism);
  const std::string python = python_program(r), cpp = cpp_program(r);
  EXPECT_THAT(python, HasSubstr("    expected = actual.clone() if attempt == 0 else expected\n"));
  EXPECT_THAT(python, AllOf(Not(HasSubstr("admissible")), HasSubstr("for attempt in range(")));
  EXPECT_THAT(cpp, HasSubstr("expected_values = first_result.data();\n"));
  EXPECT_THAT(cpp, AllOf(HasSubstr("kChoices = 0;"), Not(HasSubstr("float expected_values[]"))));
  const Reproduction wrong = reproduction_of(kTwoValues, Kind::kValue);
  EXPECT_THAT(python_program(wrong), HasSubstr("admissible"));
  EXPECT_THAT(cpp_program(wrong),
              AllOf(HasSubstr("kChoices = 2;"), HasSubstr("float expected_values[]")));
}

TEST(Program, ALeakIsMeasuredOverManyCalls) {
  const Reproduction r = reproduction_of(kStrided, Kind::kLeak);
  EXPECT_THAT(python_program(r), HasSubstr("        torch.index_select(self, 1, index)\n"));
  EXPECT_THAT(python_program(r), HasSubstr("def call():\n    self_storage = "));
  EXPECT_THAT(python_program(r), HasSubstr("mallinfo2"));
  EXPECT_THAT(cpp_program(r), HasSubstr("const auto call = [&] {\n      Operand self_operand("));
  EXPECT_THAT(cpp_program(r), HasSubstr("grows_by(calls).memory"));
}

TEST(Program, ChangedStateIsComparedAroundTheCall) {
  const Reproduction r = reproduction_of(kStrided, Kind::kInput);
  EXPECT_THAT(python_program(r), HasSubstr("state_before = state()\ntry:\n"));
  EXPECT_THAT(python_program(r), HasSubstr("torch.set_num_threads(1)"));
  EXPECT_THAT(cpp_program(r), HasSubstr("  handle_signals();\n"));
  EXPECT_THAT(cpp_program(r), HasSubstr("const State before = State::now();"));
}

TEST(Program, StateIsComparedBehindALegalCallThatWasRefusedToo) {
  const Reproduction r = reproduction_of(kStrided, Kind::kInput);
  EXPECT_THAT(python_program(r), HasSubstr("not in str(error)):\n        state_after = state()\n"));
  EXPECT_THAT(cpp_program(r),
              HasSubstr("\"not implemented for\") == nullptr)) {\n    const State after = "));
}

TEST(Program, GradModeIsOnWhereTheCallLeavesItOff) {
  Reproduction r = reproduction_of(kStrided, Kind::kInput);
  EXPECT_THAT(python_program(r), HasSubstr("torch.set_grad_enabled(False)"));
  EXPECT_THAT(cpp_program(r), HasSubstr("GradMode::set_enabled(false)"));
  set_message(r.verdict, "changed " + std::string(kGradModeToOff));
  EXPECT_THAT(python_program(r), HasSubstr("torch.set_grad_enabled(True)"));
  EXPECT_THAT(cpp_program(r), HasSubstr("GradMode::set_enabled(true)"));
}

TEST(Program, GradModeIsOffForACustomKernelAsWhereItFailed) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  EXPECT_THAT(python_program(r), Not(HasSubstr("set_grad_enabled")));
  EXPECT_THAT(cpp_program(r), Not(HasSubstr("GradMode")));
  r.call.custom = true;
  r.call.libraries = {"/libmine.so"};
  EXPECT_THAT(python_program(r), HasSubstr("torch.set_grad_enabled(False)"));
  EXPECT_THAT(cpp_program(r), HasSubstr("GradMode::set_enabled(false)"));
}

TEST(Program, InputsThatAreWrittenForAWhileCannotBeWritten) {
  Reproduction r = reproduction_of(kStrided, Kind::kInput);
  r.verdict = judge_written_input(r.c, SIGSEGV, 0);
  EXPECT_THAT(python_program(r), HasSubstr("for region in [self_region, index_region]:\n"));
  EXPECT_THAT(cpp_program(r), HasSubstr("<const Operand*>{&self_operand, &index_operand})\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("aten:cpu: an input is written, if only for a while\n"));
  EXPECT_THAT(issue_text(r), HasSubstr("the inputs are read-only"));
}

TEST(Program, FlagsAreLookedAtOnTheTensorThatCameBack) {
  Reproduction r = reproduction_of(kStrided, Kind::kMetadata);
  EXPECT_THAT(python_program(r), HasSubstr("if actual.requires_grad:\n"));
  EXPECT_THAT(cpp_program(r), HasSubstr("if (actual.is_inference()) wrong"));
  r = reproduction_of(
      "indexfuzz case 1\nindex_copy in-place\nself float32 (2)\nindex int64 (1) "
      "fill=last\nsource float32 (1)\n",
      Kind::kMetadata);
  EXPECT_THAT(python_program(r), HasSubstr("if self.requires_grad:\n"));
  EXPECT_THAT(cpp_program(r), HasSubstr("if (self.is_inference()) wrong"));
}

TEST(Program, AChangedOperandIsNoChangedState) {
  Reproduction r = reproduction_of(kStrided, Kind::kInput);
  r.verdict.operand = 0;
  EXPECT_THAT(python_program(r), Not(HasSubstr("state()")));
}

TEST(Program, MemoryIsLimitedWhereTheCallTakesAllOfIt) {
  const Reproduction r = reproduction_of(kStrided, Kind::kOom);
  EXPECT_THAT(python_program(r), HasSubstr("resource.RLIMIT_DATA"));
  EXPECT_THAT(cpp_program(r), HasSubstr("  limit_memory();\n"));
}

TEST(Program, AnIllegalCaseDemandsARefusal) {
  std::string illegal(kStrided);
  illegal.replace(illegal.find("dim=1"), 5, "dim=1 breaks=index_above");
  const Reproduction r = reproduction_of(illegal, Kind::kAccept);
  EXPECT_THAT(python_program(r), HasSubstr("index = torch.tensor([2, 3])\n"));
  EXPECT_THAT(python_program(r), HasSubstr("illegal arguments were accepted"));
  EXPECT_THAT(cpp_program(r), HasSubstr("illegal arguments were accepted"));
  EXPECT_THAT(issue_text(r), HasSubstr("index above"));
}

TEST(Program, MemoryAroundOutIsLookedAtBehindARefusalToo) {
  const auto program = [](std::string_view rule, Kind kind) {
    const std::string text = "indexfuzz case 1\nindex_select out breaks=" + std::string(rule) +
                             "\nself float32 (3)\nindex int64 (2) fill=last\n"
                             "out float32 (2) step=(2)\n";
    const Reproduction r = reproduction_of(text, kind);
    return std::pair(python_program(r), cpp_program(r));
  };
  const auto [python, cpp] = program("index_above", Kind::kMemory);
  EXPECT_THAT(python, HasSubstr("\"out\": out_region}"));
  EXPECT_THAT(python, HasSubstr("out_memory = out.detach()\n"));
  EXPECT_THAT(python, HasSubstr("\nout_memory.copy_(out_before)\n"));
  EXPECT_THAT(cpp, HasSubstr("out_operand.put(out_values);"));
  // Elements that share memory are put back once: PyTorch refuses to write them twice.
  EXPECT_THAT(program("out_overlaps_itself", Kind::kMemory).first,
              HasSubstr("out_memory = out.detach()[tuple(slice(1 if stride == 0 else None)"));
  // Who asks for the refusal alone does not care what became of out.
  EXPECT_THAT(program("index_above", Kind::kAccept).first, Not(HasSubstr("out_memory")));
}

TEST(Program, WhatPythonIsToldOfAForeignExceptionIsNoRefusal) {
  std::string illegal(kStrided);
  illegal.replace(illegal.find("dim=1"), 5, "dim=1 breaks=index_above");
  const Reproduction r = reproduction_of(illegal, Kind::kRefusal);
  EXPECT_THAT(python_program(r), HasSubstr("if \"Caught an unknown exception\" in str(error):"));
  EXPECT_THAT(issue_text(r), HasSubstr("no ordinary error is raised"));
  EXPECT_THAT(issue_text(reproduction_of(kStrided, Kind::kRefusal)),
              HasSubstr("legal arguments are refused"));
}

TEST(Program, CppSaysAValueThatIsRepeatedOftenOnce) {
  const std::string text =
      cpp_program(reproduction_of("indexfuzz case 1\n"
                                  "take functional\n"
                                  "self float32 (1)\n"
                                  "index int64 (300000) fill=first\n",
                                  Kind::kValue));
  EXPECT_THAT(text, HasSubstr("const std::vector<int64_t> all_index_values(300000, 0);\n"
                              "const int64_t* const index_values = all_index_values.data();\n"));
  EXPECT_THAT(text, HasSubstr("const std::vector<float> all_expected_values(300000, 1.f);\n"));
}

TEST(Program, CppHoldsValuesAndLayout) {
  const std::string text = cpp_program(reproduction_of(kStrided, Kind::kValue));
  EXPECT_TRUE(text.starts_with("// g++ -std=c++20 repro.cpp"));
  EXPECT_THAT(text, HasSubstr("const float self_values[] = {1.f, 2.f, 3.f, 4.f, 5.f, 6.f};\n"));
  EXPECT_THAT(text, HasSubstr("self_values, {2, 3}, {1, 2}, 0, 6, "));
  EXPECT_THAT(text, HasSubstr("actual = at::index_select(self, int64_t{1}, index);\n"));
}

TEST(Program, CppLoadsWhatAPythonExtensionNeedsBeforeIt) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  r.call.custom = true;
  r.call.libraries = {"/mine.so"};
  EXPECT_THAT(cpp_program(r), Not(HasSubstr("RTLD_GLOBAL")));
  r.call.python_libraries = {"/lib/libpython3.11.so.1.0", "/torch/lib/libtorch_python.so"};
  const std::string text = cpp_program(r);
  const std::size_t python = text.find(
      "{\"/lib/libpython3.11.so.1.0\", \"/torch/lib/libtorch_python.so\"}) {\n"
      "    dlopen(library, RTLD_NOW | RTLD_GLOBAL);");
  ASSERT_NE(python, std::string::npos) << text;
  EXPECT_GT(text.find("\"/mine.so\""), python);
  EXPECT_THAT(python_program(r), Not(HasSubstr("libpython")));
}

TEST(Program, APythonFileIsImported) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  r.call.custom = true;
  r.call.libraries = {"/kernels/mine.py", "/other.so"};
  const std::string text = python_program(r);
  EXPECT_THAT(text, HasSubstr("import importlib\nimport os\nimport sys\n"));
  EXPECT_THAT(text,
              HasSubstr("for library in sys.argv[1:] or [\"/kernels/mine.py\", \"/other.so\"]:\n"
                        "    if library.endswith(\".py\"):\n"));
  EXPECT_THAT(cpp_program(r), AllOf(HasSubstr("cannot tell: a kernel written in Python"),
                                    Not(HasSubstr("dlopen(library"))));
  EXPECT_THAT(issue_text(r), AllOf(HasSubstr("import sys\n\nimport torch\n\n"),
                                   HasSubstr("sys.path.insert(0, \"/kernels\")\nimport mine\n"
                                             "torch.ops.load_library(\"/other.so\")\n")));
  r.call.libraries = {"/kernels/my-kernels.py"};
  EXPECT_THAT(issue_text(r), HasSubstr("__import__(\"my-kernels\")"));
}

TEST(Program, AMessageCannotEndAComment) {
  Reproduction r = reproduction_of(kStrided, Kind::kValue);
  r.signature = "first\nimport os; \xff second";
  EXPECT_THAT(python_program(r), HasSubstr("# first import os; ? second\n"));
}

}  // namespace
}  // namespace indexfuzz
