// What a call leaves behind: changed global state, and what it keeps.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/rand.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <torch/library.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../written_case.h"
#include "case/bytes.h"
#include "ops/definition/operator.h"
#include "run/call/implementation.h"
#include "run/process/worker.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

using at::Tensor;
using testing::HasSubstr;

std::vector<Tensor>& kept() {
  static std::vector<Tensor> tensors;
  return tensors;
}

template <void (*kLeave)(int64_t)>
Tensor select_and(const Tensor& self, int64_t dim, const Tensor& index) {
  static int64_t calls = 0;
  kLeave(++calls);
  return at::index_select(self, dim, index);
}

void keep_tensor(int64_t) {
  kept().push_back(at::empty({4}));
}
void keep_some_tensors(int64_t calls) {
  if (calls <= 1000) keep_tensor(calls);
}
std::atomic<std::uint32_t>* stop_of_job = nullptr;
/// By then a search for leaks is under way.
void keep_tensor_and_be_stopped(int64_t calls) {
  keep_tensor(calls);
  if (calls == 100) *stop_of_job = 1;
}
void keep_every_third_block(int64_t calls) {
  static void* volatile last;
  if (calls % 3 == 0) last = std::malloc(40);
  (void)last;
}
void keep_file(int64_t) {
  (void)!dup(0);
}
void round_upward(int64_t) {
  std::fesetround(FE_UPWARD);
}
void leave_nothing(int64_t) {
  const Tensor scratch = at::empty({4});
  std::thread([] {}).join();
}

TORCH_LIBRARY(left_behind, m) {
  constexpr const char* kSchema = "(Tensor self, int dim, Tensor index) -> Tensor";
  const auto define = [&](const char* name, auto* kernel) {
    m.def((std::string(name) + kSchema).c_str(), torch::dispatch(c10::DispatchKey::CPU, kernel));
  };
  define("tensor", select_and<keep_tensor>);
  define("some_tensors", select_and<keep_some_tensors>);
  define("tensor_and_is_stopped", select_and<keep_tensor_and_be_stopped>);
  define("every_third_block", select_and<keep_every_third_block>);
  define("file", select_and<keep_file>);
  define("rounding", select_and<round_upward>);
  define("nothing", select_and<leave_nothing>);
}

/// Of rows that are written twice, now the first and now the last one stays.
Tensor winner_varies(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  static bool turn = false;
  turn = !turn;
  return turn ? at::index_copy(self, dim, index, source)
              : at::index_copy(self, dim, index.flip({0}), source.flip({dim}));
}

/// The same for a square view that is its own mirror image.
Tensor winner_in_view_varies(const Tensor& self, const Tensor& src, at::IntArrayRef size,
                             at::IntArrayRef stride, std::optional<int64_t> storage_offset) {
  static bool turn = false;
  turn = !turn;
  return at::as_strided_scatter(self, turn ? src : src.t(), size, stride, storage_offset);
}

TORCH_LIBRARY_FRAGMENT(left_behind, m) {
  m.def(
      "winner_in_view_varies(Tensor self, Tensor src, int[] size, int[] stride, int? "
      "storage_offset=None) -> Tensor",
      torch::dispatch(c10::DispatchKey::CPU, winner_in_view_varies));
  m.def("winner_varies(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
        torch::dispatch(c10::DispatchKey::CPU, winner_varies));
}

class LeftBehind : public testing::Test {
 protected:
  static void SetUpTestSuite() { install_guarded_allocator(); }

  static constexpr const char* kCase =
      "index_select functional\nself float32 (3)\nindex int64 (2) fill=last\n";

  /// The verdict on one case of an implementation, called again and again.
  static Verdict run(const std::string& implementation, const char* text = kCase,
                     bool strict = false) {
    const Case c = written(text);
    const std::vector<const OperatorInfo*> requested{&operator_of(c)};
    const std::vector<std::string> names{"left_behind::" + implementation};
    const Resolved resolved = resolve(names, requested);
    EXPECT_EQ(resolved.error, "");
    const auto free_memory = [](SharedMemory* memory) { std::free(memory); };
    std::unique_ptr<SharedMemory, decltype(free_memory)> memory(
        static_cast<SharedMemory*>(std::calloc(1, shared_memory_bytes(1))), free_memory);
    Slot& slot = memory->slots[0];
    stop_of_job = &slot.stop;
    slot.job.type = Job::Type::kRun;
    slot.job.strict = strict;
    slot.job.case_count = 1;
    slot.job.repeats = 1;
    slot.job.look_longer = true;
    slot.run_size = kEncodedBytes;
    encode(c, slot.run_bytes);
    carry_out(resolved.implementations, *memory, slot);
    EXPECT_EQ(slot.completed.load(), 1u);
    EXPECT_EQ(slot.finished.load(), 1u);
    kept().clear();
    return slot.results[0].verdict;
  }
};

TEST_F(LeftBehind, ATensorKeptAtEveryCallIsALeak) {
  const Verdict verdict = run("tensor");
  EXPECT_EQ(verdict.kind, Kind::kLeak);
  EXPECT_THAT(verdict.message.data(), HasSubstr("memory of tensors"));
}

TEST_F(LeftBehind, ABlockKeptAtEveryThirdCallIsALeak) {
  const Verdict verdict = run("every_third_block");
  EXPECT_EQ(verdict.kind, Kind::kLeak);
  EXPECT_THAT(verdict.message.data(), HasSubstr("memory of malloc"));
}

TEST_F(LeftBehind, AFileLeftOpenIsALeak) {
  const int first = dup(0);
  const Verdict verdict = run("file");
  EXPECT_EQ(verdict.kind, Kind::kLeak);
  EXPECT_THAT(verdict.message.data(), HasSubstr("file descriptors"));
  close_range(static_cast<unsigned>(first), ~0U, 0);
}

TEST_F(LeftBehind, ACacheThatComesToRestIsNone) {
  EXPECT_EQ(run("some_tensors").status, Status::kAgreed);
}

TEST_F(LeftBehind, ASearchThatIsStoppedProvesNothing) {
  EXPECT_EQ(run("tensor_and_is_stopped").status, Status::kAgreed);
}

TEST_F(LeftBehind, WhatIsGivenBackIsNone) {
  EXPECT_EQ(run("nothing").status, Status::kAgreed);
}

constexpr const char* kTwice =
    "index_copy functional\nself float32 (3)\nindex int64 (2) fill=last\nsource float32 (2)\n";

TEST_F(LeftBehind, AResultThatChangesUnderTheDeterministicFlagIsFoundWhereItWasPromised) {
  EXPECT_EQ(run("winner_varies", kTwice).status, Status::kAgreed);
  EXPECT_EQ(run("winner_varies", kTwice, true).kind, Kind::kNondeterminism);
}

TEST_F(LeftBehind, AResultMayChangeWhereNothingIsPromised) {
  EXPECT_EQ(run("winner_in_view_varies",
                "as_strided_scatter.matrix functional rows=2 columns=2 row_stride=1 "
                "column_stride=1 storage_offset=none\nself float32 (3)\nsrc float32 (2, 2)\n",
                true)
                .status,
            Status::kAgreed);
}

TEST_F(LeftBehind, ChangedGlobalStateIsAChangedInput) {
  const Verdict verdict = run("rounding");
  EXPECT_EQ(verdict.kind, Kind::kInput);
  EXPECT_EQ(verdict.operand, -1);
  EXPECT_THAT(verdict.message.data(), HasSubstr("the rounding mode"));
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

/// The folder is gone when it is to be left.
TEST(GlobalState, AFolderWithoutAWayBackIsNamedOnce) {
  const std::string before = std::filesystem::current_path();
  char folder[] = "/tmp/indexfuzz-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  ASSERT_EQ(chdir(folder), 0);
  set_global_state();
  ASSERT_EQ(chdir("/"), 0);
  ASSERT_EQ(rmdir(folder), 0);
  EXPECT_EQ(take_global_state_change(), "the current folder");
  EXPECT_EQ(take_global_state_change(), "");
  ASSERT_EQ(chdir(before.c_str()), 0);
}

/// Whoever renames the folder has changed nothing that a call sees.
TEST(GlobalState, ARenamedFolderIsTheSame) {
  const std::string before = std::filesystem::current_path();
  char folder[] = "/tmp/indexfuzz-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  ASSERT_EQ(chdir(folder), 0);
  set_global_state();
  const std::string renamed = std::string(folder) + "-renamed";
  ASSERT_EQ(std::rename(folder, renamed.c_str()), 0);
  EXPECT_EQ(take_global_state_change(), "");
  ASSERT_EQ(chdir(before.c_str()), 0);
  ASSERT_EQ(rmdir(renamed.c_str()), 0);
}

TEST(GlobalState, ANumberOfThreadsStartsNoneThatSpin) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  at::set_num_threads(4);
  // One that another test has joined may be listed for a moment longer.
  EXPECT_LE(threads(), before);
  at::set_num_threads(1);
}

TEST(GlobalState, EveryChangeIsNamedAndPutBack) {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  set_global_state();
  EXPECT_EQ(take_global_state_change(), "");
  const std::pair<const char*, void (*)()> changes[] = {
      {"grad mode to on", [] { c10::GradMode::set_enabled(true); }},
      {"the number of threads", [] { at::set_num_threads(3); }},
      {"the rounding mode", [] { std::fesetround(FE_DOWNWARD); }},
      {"denormals", [] { at::globalContext().setFlushDenormal(true); }},
      {"the deterministic flag",
       [] { at::globalContext().setDeterministicAlgorithms(true, false); }},
      {"floating-point exceptions", [] { feenableexcept(FE_DIVBYZERO); }},
      {"the warning handler",
       [] { c10::WarningUtils::set_warning_handler(new c10::WarningHandler); }},
      {"the default dtype", [] { c10::set_default_dtype(caffe2::TypeMeta::Make<double>()); }},
      {"the state of the random generator", [] { (void)at::rand({1}); }},
      {"the state of the random generator",
       [] { at::Generator(at::detail::getDefaultCPUGenerator()).set_current_seed(7); }},
      {"the precision of matrix products",
       [] { at::globalContext().setFloat32MatmulPrecision("medium"); }},
      {"whether oneDNN is used", [] { at::globalContext().setUserEnabledMkldnn(false); }},
      {"how often warnings come", [] { c10::WarningUtils::set_warnAlways(true); }},
      {"on which processors",
       [] {
         cpu_set_t one;
         CPU_ZERO(&one);
         CPU_SET(sched_getcpu(), &one);
         sched_setaffinity(0, sizeof one, &one);
       }},
      {"its priority", [] { setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1); }},
      {"environment variables", [] { setenv("OMP_NUM_THREADS", "1", 1); }},
      {"environment variables", [] { unsetenv("PATH"); }},
      {"the current folder", [] { (void)!chdir("/proc"); }},
      {"the umask", [] { umask(0111); }},
      {"which signals are blocked",
       [] {
         sigset_t alarm;
         sigemptyset(&alarm);
         sigaddset(&alarm, SIGALRM);
         sigprocmask(SIG_BLOCK, &alarm, nullptr);
       }},
      {"the handling of SIGUSR2", [] { signal(SIGUSR2, [](int) {}); }},
      {"the handling of SIGCHLD", [] { signal(SIGCHLD, SIG_IGN); }},
      {"the locale", [] { std::setlocale(LC_TIME, "C.UTF-8"); }},
  };
  for (const auto& [name, change] : changes) {
    change();
    EXPECT_THAT(take_global_state_change(), HasSubstr(name));
    EXPECT_EQ(take_global_state_change(), "") << name;
  }
  alternate_grad_mode();
  EXPECT_EQ(take_global_state_change(), "");
  c10::GradMode::set_enabled(false);
  EXPECT_EQ(take_global_state_change(), "grad mode to off");
  alternate_grad_mode();
  EXPECT_EQ(take_global_state_change(), "");
  close(file);
  EXPECT_EQ(take_global_state_change(), "which files are open");
  EXPECT_EQ(take_global_state_change(), "");
  close(file);
}

}  // namespace
}  // namespace indexfuzz
