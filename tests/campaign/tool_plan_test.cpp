// The tools of a case on a GPU, where scripts stand for Python and for compute-sanitizer.

#include "campaign/programs/tool_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>

#include "../cli/command.h"
#include "../written_case.h"
#include "campaign/programs/run_tool.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// Sees a fault by one tool only, in a program that is told that somebody looks on.
constexpr const char* kSanitizer = R"(#!/bin/sh
[ "$1 $REPRO_CHILD $PYTORCH_NO_CUDA_MEMORY_CACHING $UNDER_SANITIZER" = "--tool 9 1 1" ] || exit 9
[ $2 = memcheck ] && echo "========= Invalid __global__ read of size 4 bytes
=========     at k(int *)+0x70 in k.cu:12"
echo "========= ERROR SUMMARY: some"
while [ "${1##*/}" != python ]; do shift; done
exec "$@"
)";
constexpr const char* kPython = R"(#!/bin/sh
[ -e /proc/$$/fd/9 ] || exit 9
[ "$CUDA_LAUNCH_BLOCKING" = 1 ] && exec echo right
echo "WRONG: elements [0]"
exit 1
)";

std::string script(const Scratch& folder, const std::string& name, const char* text) {
  const std::string file = folder.write(name, text);
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

/// Sets an environment variable while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

Reproduction on_gpu() {
  Reproduction r;
  r.c = written("index_select functional\nself float32 (2)\nindex int64 (1) fill=first\n");
  r.call = {"aten:cuda", {}, {}, false, "cuda:0", "torch.index_select({self}, {dim}, {index})", ""};
  r.verdict = finding(Kind::kMemory, -1, "");
  return r;
}

TEST(ToolPlan, OnAGpuEachToolOfComputeSanitizerIsRun) {
  const Scratch scratch;
  fs::create_directory(scratch / "bin");
  script(scratch, "bin/compute-sanitizer", kSanitizer);
  std::vector<Tool> tools;
  {
    const Variable home("CUDA_HOME", scratch / ""), path("PATH", "");
    tools = tools_for(on_gpu());
  }
  const Workbench bench{script(scratch, "python", kPython), scratch / "", std::chrono::seconds(60)};
  const StopSignals signals;
  std::vector<ToolRun> runs;
  std::vector<std::string> names;
  for (const Tool& tool : tools) {
    runs.push_back(run_tool(tool, bench, signals));
    names.push_back(tool.name + ": " + std::string(name(runs.back().state)));
  }
  EXPECT_THAT(names,
              ElementsAre("plain: ran", "blocking: ran", "memcheck: ran", "racecheck: ran",
                          "synccheck: ran", "initcheck: ran", "gdb: skipped", "valgrind: skipped"));
  EXPECT_THAT(conclusion(runs, false),
              ElementsAre("wrong in 1 of 2: only where no launch is waited for",
                          "memcheck: Invalid __global__ read of size 4 bytes at k+0x70 in k.cu:12",
                          "no fault seen by racecheck, synccheck, initcheck"));
  EXPECT_THAT(runs.back().says, ElementsAre("the call runs on a GPU"));
}

}  // namespace
}  // namespace indexfuzz
