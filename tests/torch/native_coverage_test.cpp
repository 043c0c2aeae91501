// Native coverage of the LibTorch that these tests are linked with.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "campaign/counts/native_totals.h"
#include "case/bytes.h"
#include "draw/draw.h"
#include "ops/definition/operator.h"
#include "run/call/implementation.h"
#include "run/native/native_coverage.h"
#include "run/process/worker.h"

namespace indexfuzz {
namespace {

constexpr std::uint32_t kCases = 200;

/// Shared memory with one slot, which asks for cases of an operator.
SharedMemory& asked_for(const OperatorInfo& op) {
  void* const bytes = mmap(nullptr, shared_memory_bytes(1), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(bytes, MAP_FAILED);
  SharedMemory& memory = *static_cast<SharedMemory*>(bytes);
  Slot& slot = memory.slots[0];
  slot.job.type = Job::Type::kRun;
  slot.job.implementation = 0;
  slot.job.case_count = kCases;
  slot.job.repeats = 1;
  const Target target{op.number, 0, Variant::kFunctional};
  for (std::uint32_t i = 0; i < kCases; ++i) {
    Case c;
    draw_case(1, 0, i, {&target, 1}, Limits{}, c);
    encode(c, slot.run_bytes + i * kEncodedBytes);
  }
  slot.run_size = kCases * kEncodedBytes;
  return memory;
}

template <class Do>
int in_a_child(Do&& work) {
  const pid_t pid = fork();
  if (pid == 0) {
    work();
    _exit(0);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  return status;
}

/// Blocks by function.
std::map<std::string, BlockCount> by_function(const NativeCoverageMap& map) {
  std::map<std::string, BlockCount> blocks;
  for (const NativeFunctionTotals& function : add_up(map).functions)
    blocks[function.name] = function.blocks;
  return blocks;
}

TEST(NativeCoverage, ShowsWhatCasesReachAndChangesNoResult) {
  const OperatorInfo* const op = find_operator("index_select");
  const std::vector<const OperatorInfo*> asked{op};
  const Resolved resolved = resolve(std::vector<std::string>{"aten:cpu"}, asked);
  ASSERT_EQ(resolved.error, "");
  SharedMemory& memory = asked_for(*op);
  Slot& slot = memory.slots[0];
  // As a zygote: the traps go with it, and its children reach the blocks.
  const int status = in_a_child([&] {
    install_native_coverage(memory.native, asked);
    in_a_child([&] { carry_out(resolved.implementations, memory, slot); });
  });
  ASSERT_EQ(status, 0);
  EXPECT_STREQ(memory.native.error, "");
  ASSERT_EQ(slot.completed.load(), kCases);
  std::uint32_t agreed = 0;
  for (std::uint32_t i = 0; i < kCases; ++i) {
    EXPECT_NE(slot.results[i].verdict.status, Status::kFinding)
        << slot.results[i].verdict.message.data();
    agreed += slot.results[i].verdict.status == Status::kAgreed;
  }
  EXPECT_GT(agreed, kCases / 2);
  auto blocks = by_function(memory.native);
  EXPECT_GT(memory.native.blocks, 10000u);
  EXPECT_EQ(memory.native.skipped, 0u);
  EXPECT_GT(blocks["index_select_out_cpu_"].reached, 50u);
  EXPECT_LT(blocks["index_select_out_cpu_"].reached, blocks["index_select_out_cpu_"].known);
  EXPECT_GT(blocks["nonzero_out_cpu"].known, 500u);
  EXPECT_EQ(blocks["nonzero_out_cpu"].reached, 0u);
  munmap(&memory, shared_memory_bytes(1));
}

TEST(NativeCoverage, CountsOnlyWhatIsNewToAProcess) {
  const OperatorInfo* const op = find_operator("gather");
  const std::vector<const OperatorInfo*> asked{op};
  const Resolved resolved = resolve(std::vector<std::string>{"aten:cpu"}, asked);
  SharedMemory& memory = asked_for(*op);
  const auto bumped_by_a_run = [&] {
    std::ranges::fill(native_counters(), 0);
    carry_out(resolved.implementations, memory, memory.slots[0]);
    int sum = 0;
    for (const std::uint8_t counter : native_counters()) sum += counter;
    return sum;
  };
  const int status = in_a_child([&] {
    install_native_coverage(memory.native, asked);
    const bool first = bumped_by_a_run() > 50;
    memory.slots[0].completed = 0;
    const bool second = bumped_by_a_run() == 0;
    _exit(first && second ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  munmap(&memory, shared_memory_bytes(1));
}

}  // namespace
}  // namespace indexfuzz
