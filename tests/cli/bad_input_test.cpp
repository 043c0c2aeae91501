// What cannot work: exit code 1, and one sentence that says why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "campaign/workers/subprocess.h"
#include "command.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Says what is wrong in exactly one line of stderr, and writes nothing for others to read.
void expect_sentence(const Arguments& arguments, const std::string& part) {
  std::string command;
  for (const std::string& argument : arguments) command += " " + argument;
  SCOPED_TRACE(command);
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, StartsWith("indexfuzz: "));
  EXPECT_THAT(ended.err, HasSubstr(part));
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
}

TEST(BadInput, AnUnknownNameIsAnsweredWithTheNearest) {
  expect_sentence({"fuzz", "gahter"}, "gather");
  expect_sentence({"fzuz"}, "fuzz");
  expect_sentence({"list", "operator"}, "operators");
  expect_sentence({"fuzz", "--tmie", "3s"}, "--time");
  expect_sentence({"fuzz", "--gpu-memory", "8GiB", "--tmie", "3s"}, "--time");
  expect_sentence({"fuzz", "--dtypes", "flaot32"}, "float32");
  expect_sentence({"fuzz", "gather", "index_reduce", "--dtypes", "complex64,complex128"},
                  "index_reduce takes none of the dtypes of --dtypes");
}

TEST(BadInput, AKernelThatDoesNotFit) {
  const Scratch scratch;
  const auto with = [&](const std::string& op, const std::string& kernel) {
    return Arguments{"fuzz",   op,     "--load", planted_library(),
                     "--impl", kernel, "--out",  scratch / "o"};
  };
  expect_sentence(with("gather", "planted::gather_past_ouptut"), "planted::gather_past_output");
  expect_sentence(with("gather", "nobody::gather"), "nobody");
  expect_sentence(with("gather", "planted::index_select_offset_ignored"),
                  "index_select_offset_ignored");
  expect_sentence({"fuzz", "gather", "--impl", "aten:cdua", "--out", scratch / "o"}, "aten:cdua");
  EXPECT_FALSE(std::filesystem::exists(scratch / "o")) << "what cannot begin leaves no folder";
}

TEST(BadInput, WhatShowsOnlyOnceTheWorkersAreReadyLeavesNoFolder) {
  const Scratch scratch;
  const std::string out = scratch / "o";
  expect_sentence({"fuzz", "gather", "--impl", "aten:cpu", "--engine", "coverage", "--out", out,
                   "--", "-dict=" + std::string(2000, 'x')},
                  "");
  EXPECT_FALSE(std::filesystem::exists(out));
  scratch.write("bad.case", "this is no case\n");
  expect_sentence({"fuzz", "gather", "--impl", "aten:cpu", "--out", out, "--ledger",
                   scratch.write("l.toml", ledger_entry("gather on aten:cpu: value", "bad.case"))},
                  "bad.case");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(BadInput, AnImplementationOfAnotherOperatorThanThatOfTheCase) {
  const Scratch scratch;
  const std::string file = scratch.write(
      "g.case",
      "indexfuzz case 1\ngather functional\nself float32 (2)\nindex int64 (1) fill=first\n");
  expect_sentence({"replay", file, "--impl", "form:masked_fill_as_where"},
                  "form:masked_fill_as_where computes masked_fill, but only gather is tested here: "
                  "leave it out, or test that operator as well.");
}

TEST(BadInput, ALibraryThatCannotBeLoaded) {
  const Scratch scratch;
  const std::string text = scratch.write("text.so", "no library, and no short text at that\n");
  const auto with = [&](const std::string& library) {
    return Arguments{"fuzz",   "gather",       "--load", library,
                     "--impl", "mine::gather", "--out",  scratch / "o"};
  };
  expect_sentence(with(text),
                  text + " cannot be loaded: it is not a shared library for this machine");
  expect_sentence(with(text), "build one with -shared -fPIC");
  expect_sentence(with(scratch / "none.so"), "none.so: there is no such file; --load takes");
}

/// Made of one C++ file; empty where it cannot be compiled.
std::string compiled_library(const Scratch& scratch, const std::string& code,
                             const std::vector<std::string>& linked = {}) {
  const std::string library = scratch / "libmine.so";
  std::vector<std::string> command{
      config::kCxxCompiler, "-shared", "-fPIC", "-o", library, scratch.write("mine.cpp", code)};
  command.insert(command.end(), linked.begin(), linked.end());
  Subprocess compiler(command, std::chrono::seconds(60));
  return compiler.wait().is_success() ? library : "";
}

TEST(BadInput, ALibraryThatDoesNotLetItselfBeLoaded) {
  const Scratch scratch;
  const auto expect_named = [&](const std::string& initializer, const std::string& found) {
    const std::string library =
        compiled_library(scratch,
                         "#include <stdio.h>\n#include <stdlib.h>\n#include <stdexcept>\n"
                         "static const int n = [] { " +
                             initializer + "; return 0; }();\n");
    ASSERT_NE(library, "");
    expect_sentence({"fuzz", "gather", "--load", library, "--impl", "mine::gather"},
                    library + " cannot be loaded: as it was loaded, it " + found);
  };
  expect_named("throw 5", "threw what is not a std::exception; its static initializers");
  expect_named("throw std::runtime_error(\"no licence\")", "raised \"no licence\"; its static");
  expect_named("exit(0)", "called exit(0); its static initializers");
  expect_named("puts(\"no licence\"); fflush(stdout); abort()",
               "died of signal 6 (Aborted) and said \"no licence\"; its static initializers");
}

TEST(BadInput, ALibraryThatDoesNotSayWhereLibTorchIs) {
  const Scratch scratch;
  const std::string library =
      compiled_library(scratch, "int nothing;\n",
                       {"-Wl,--no-as-needed", std::string("-L") + config::kTorchLibDir, "-ltorch"});
  ASSERT_NE(library, "");
  const Ended ended = run({"fuzz", "take", "--load", library, "--impl", "aten:cpu", "--jobs", "1",
                           "--seed", "1", "--cases", "300", "--out", scratch / "o"});
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
}

#if defined(__SSE__)
TEST(BadInput, ALibraryThatFlushesDenormalsAsItIsLoaded) {
  const Scratch scratch;
  const std::string library = compiled_library(
      scratch,
      "#include <xmmintrin.h>\n"
      "static const int n = [] { _mm_setcsr(_mm_getcsr() | 0x8040); return 0; }();\n");
  ASSERT_NE(library, "");
  // Numbers below the least normal one are among those that are drawn.
  const Ended ended = run({"fuzz", "index_add", "where", "--load", library, "--impl", "aten:cpu",
                           "--impl", "form:contiguous", "--jobs", "1", "--seed", "1", "--cases",
                           "3000", "--out", scratch / "o"});
  EXPECT_THAT(ended.err, testing::HasSubstr(library + " changes how the processor treats"));
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
}
#endif

TEST(BadInput, ALibraryThatStartsAThreadAsItIsLoaded) {
  const Scratch scratch;
  const std::string library = compiled_library(
      scratch,
      "#include <unistd.h>\n#include <thread>\n"
      "static const int n = [] { std::thread([] { pause(); }).detach(); return 0; }();\n");
  ASSERT_NE(library, "");
  const Ended ended = run({"fuzz", "take", "--load", library, "--impl", "form:contiguous", "--jobs",
                           "1", "--seed", "1", "--cases", "300", "--out", scratch / "o"});
  EXPECT_THAT(ended.err, testing::HasSubstr(library + " starts threads as it is loaded"));
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
}

TEST(BadInput, APythonExtensionThatRegistersNothing) {
  const Scratch scratch;
  const std::string library = compiled_library(
      scratch, "extern \"C\" int Py_IsInitialized();\nint used() { return Py_IsInitialized(); }\n");
  ASSERT_NE(library, "");
  const Arguments arguments{"fuzz", "gather", "--load", library, "--impl", "mine::gather"};
  const std::string said = run(arguments).err;
  if (said.find("it is a Python extension, and there is no libpython") != std::string::npos)
    GTEST_SKIP() << "skipped: this machine has no shared libpython";
  expect_sentence(arguments,
                  "mine::gather is not registered: nothing is, in the namespace mine; "
                  "register it with TORCH_LIBRARY, or in Python by a Library that is kept");
}

TEST(BadInput, ACaseFileThatIsNone) {
  const Scratch scratch;
  const std::string whole =
      "indexfuzz case 1\nindex_select functional\nself float32 (2)\nindex int64 (1) fill=first\n";
  const std::string operand_missing = whole.substr(0, whole.find("index int64"));
  const auto expect_unreadable = [&](const std::string& text, const std::string& part) {
    const std::string file = scratch.write("x.case", text);
    expect_sentence({"replay", file}, part);
    expect_sentence({"show", file}, part);
  };
  expect_unreadable("", "x.case");
  expect_unreadable("indexfuzz case 2\n", "newer");
  expect_unreadable(operand_missing, "missing");
  expect_unreadable("indexfuzz case 1\nindex_select functional\nself float23 (2)\n", "float32");
  expect_unreadable(std::string("\x7f"
                                "ELF\0\1\2",
                                7),
                    "x.case");
  expect_sentence({"replay", scratch / "none.case"}, "none.case");
  scratch.write("good.case", whole);
  EXPECT_EQ(run({"replay", scratch / "good.case", "--impl", "aten:cpu"}).code, 0);
}

TEST(BadInput, AFolderThatCannotBeMade) {
  const Scratch scratch;
  const std::string file = scratch.write("file", "");
  expect_sentence({"fuzz", "gather", "--cases", "10", "--out", file + "/o"}, "/o");
  EXPECT_EQ(run({"export",
                 scratch.write("g.case",
                               "indexfuzz case 1\ngather functional\nself float32 (2)\n"
                               "index int64 (1) fill=first\n"),
                 "--as", "py", "-o", file + "/repro.py"})
                .code,
            75);
}

TEST(BadInput, ABadNumberOrTimeIsNamed) {
  for (const char* time : {"10", "5x", "s", "-3s", "1e99h"}) {
    expect_sentence({"fuzz", "gather", "--time", time}, "time");
  }
  for (const char* count : {"1.5", "-3", "many", "1e30"}) {
    expect_sentence({"fuzz", "gather", "--cases", count}, "count");
  }
  expect_sentence({"fuzz", "gather", "--seed", "x"}, "'x'");
  expect_sentence({"fuzz", "gather", "--jobs", "x"}, "--jobs");
  expect_sentence({"fuzz", "gather", "--jobs", "-1"}, "--jobs");
  expect_sentence({"fuzz", "gather", "--jobs", "0"}, "--jobs takes 1 to ");
  expect_sentence({"fuzz", "gather", "--max-findings", "0"}, "--max-findings takes 1 or more");
  expect_sentence({"fuzz", "gather", "--jobs", "1000000"}, "--jobs");
  for (const char* time :
       {"tomorrow", "2020-13-45T99:00:00Z", "2100-02-29T08:00:00Z", "2100-01-01T24:00:00Z",
        "2100-01-01T08:60:00Z", "2100-01-01T08:00:60Z", "2100-01-01T08:00:00",
        "2100-01-01T08:00:00.Z", "2100-01-01T08:00:00+02:00xx", "2100-01-01T08:00:00+24:00",
        "2100-01-01T08:00:00+2:00", "2100-1-01T08:00:00Z", "2100-01-01T08:00:00Z "}) {
    expect_sentence({"fuzz", "gather", "--stop-at", time},
                    std::string("'") + time + "' is not a time");
  }
  expect_sentence({"fuzz", "gather", "--timeout", "q"}, "'q'");
  expect_sentence({"fuzz", "gather", "--error-exitcode", "300"}, "--error-exitcode");
  expect_sentence({"replay", "x.case", "--error-exitcode", "-1"}, "--error-exitcode");
}

TEST(BadInput, WhatTheBuildLacks) {
  expect_sentence({"fuzz", "--engine", "covrage"}, "did you mean coverage?");
  expect_sentence({"fuzz", "--", "-mutate_depth=3"}, "--engine coverage");
  expect_sentence({"fuzz", "--engine", "coverage", "--", "-fork=4"}, "'-fork=4'");
  expect_sentence({"fuzz", "--engine", "coverage", "--", "-mutate_depth"}, "-NAME=VALUE");
  expect_sentence({"fuzz", "--engine", "coverage", "gather", "gahter"}, "gahter");
  expect_sentence({"fuzz", "--contarct", "x.toml"}, "--contract");
  expect_sentence({"export", "x.case", "--as", "gtset"}, "did you mean gtest?");
  expect_sentence({"replay"}, "PATH");
  expect_sentence({"list", "operators", "--strict"}, "--strict");
  expect_sentence({"fuzz", "gather", "--ledger", "/nowhere/ledger.toml"},
                  "the ledger /nowhere/ledger.toml does not exist.");
}

TEST(BadInput, NoPlaceForTemporaryFiles) {
  const Scratch scratch;
  const auto ended = [&](const std::string& place, const std::string& command) {
    Subprocess program(
        {"bash", "-c", "TMPDIR=" + place + " exec " + config::kBuildDir + "/indexfuzz " + command},
        std::chrono::seconds(120));
    return run(program);
  };
  const std::string fuzz =
      "fuzz gather --impl aten:cpu --cases 100 --jobs 1 --seed 1 --no-ledger --out " +
      scratch / "o";
  for (const std::string place : {"/nowhere", "/proc"}) {
    for (const std::string& command : {fuzz, std::string("selftest --kernels gather_past_")}) {
      const Ended refused = ended(place, command);
      EXPECT_EQ(refused.code, 1);
      EXPECT_EQ(refused.out,
                "indexfuzz: no folder can be made in " + place +
                    ", where temporary files go: No such file or directory; set TMPDIR "
                    "to a folder that can be written.\n");
    }
    EXPECT_FALSE(std::filesystem::exists(scratch / "o")) << "what cannot begin leaves no folder";
  }
  EXPECT_EQ(ended("/nowhere", fuzz + " --no-verify").code, 0) << "it needs none";
}

TEST(BadInput, NoCommand) {
  expect_sentence({}, "fuzz");
}

TEST(BadInput, ALedgerThatIsNone) {
  const Scratch scratch;
  expect_sentence({"fuzz", "gather", "--ledger", scratch.write("a.toml", "[[finding]\n")},
                  "a.toml:1");
  expect_sentence(
      {"fuzz", "gather", "--ledger", scratch.write("b.toml", "[[finding]]\nreason = 'x'\n")},
      "signature");
}

}  // namespace
}  // namespace indexfuzz
