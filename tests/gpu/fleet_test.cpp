// Campaigns on a GPU as a user runs them: what they take of it, and what they leave.

#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kMark = "INDEXFUZZ_FLEET_TEST";

class Fleet : public testing::Test {
 protected:
  void SetUp() override {
    if (c10::cuda::device_count() == 0) GTEST_SKIP() << "skipped: no CUDA device";
    std::string name = "/tmp/indexfuzz-fleet-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("TMPDIR", name.c_str(), 1);
    setenv(kMark, name.c_str(), 1);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
    unsetenv("TMPDIR");
  }

  /// `indexfuzz fuzz ARGUMENTS`, running.
  pid_t begin(std::vector<std::string> arguments) {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    const std::string program = here / "indexfuzz";
    arguments.insert(arguments.begin(), {program, "fuzz"});
    arguments.insert(arguments.end(), {"--no-verify", "--out", folder_ / "out"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string err = folder_ / "err";
    const pid_t pid = fork();
    if (pid == 0) {
      (void)!freopen("/dev/null", "w", stdout);
      (void)!freopen(err.c_str(), "w", stderr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    return pid;
  }
  int run(const std::vector<std::string>& arguments) {
    int status = 0;
    waitpid(begin(arguments), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  std::string text(const std::string& file) const {
    std::ostringstream all;
    all << std::ifstream(folder_ / file).rdbuf();
    return all.str();
  }
  /// Processes of campaigns begun here, zombies apart.
  int processes() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ostringstream environment, stat;
      environment << std::ifstream(entry.path() / "environ").rdbuf();
      stat << std::ifstream(entry.path() / "stat").rdbuf();
      const bool ours =
          environment.str().find(std::string(kMark) + "=" + folder_.string()) != std::string::npos;
      if (ours && stat.str().find(") Z ") == std::string::npos) ++count;
    }
    return count;
  }
  bool has_mps_folder() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().starts_with("indexfuzz-mps")) return true;
    }
    return false;
  }

  fs::path folder_;
};

std::size_t free_bytes() {
  std::size_t available = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&available, &total), cudaSuccess);
  return available;
}

TEST_F(Fleet, TakesNoMoreMemoryThanItMay) {
  const std::size_t before = free_bytes(), asked = std::size_t{14} << 30;
  const pid_t pid = begin({"gather", "scatter_add", "--impl", "aten:cuda", "--jobs", "2", "--time",
                           "12s", "--gpu-memory", "14GiB"});
  std::size_t fewest = before;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    fewest = std::min(fewest, free_bytes());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LE(before - fewest, asked) << text("err");
  EXPECT_GT(before - fewest, std::size_t{1} << 30) << text("err");
}

TEST_F(Fleet, TooLittleMemoryIsOneSentence) {
  EXPECT_EQ(run({"gather", "--impl", "aten:cuda", "--gpu-memory", "1GiB", "--time", "5s"}), 69);
  EXPECT_NE(text("err").find("too little device memory"), std::string::npos) << text("err");
}

TEST_F(Fleet, AnAssertionIsFoundByOneOfManyAndNobodyElseIsBlamed) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  std::string library = here / "libindexfuzz_planted_cuda.so";
  if (!fs::exists(library)) library = here / "../lib/indexfuzz/libindexfuzz_planted_cuda.so";
  EXPECT_EQ(run({"gather", "--load", library, "--impl", "planted_cuda::gather_rank5_assert",
                 "--impl", "aten:cuda", "--no-ledger", "--jobs", "4", "--mps", "--time", "20s"}),
            77)
      << text("err");
  EXPECT_EQ(text("err").find("on aten:cuda"), std::string::npos) << text("err");
  EXPECT_EQ(text("out/log.jsonl").find("unlocated"), std::string::npos);
}

TEST_F(Fleet, NothingIsLeftOfAKilledCampaign) {
  const pid_t pid = begin(
      {"gather", "--impl", "aten:cuda", "--jobs", "4", "--mps", "--time", "60s", "--no-ledger"});
  std::this_thread::sleep_for(seconds(8));
  EXPECT_GT(processes(), 5) << text("err");
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  const auto limit = Clock::now() + seconds(20);
  while ((processes() > 0 || has_mps_folder()) && Clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(processes(), 0);
  EXPECT_FALSE(has_mps_folder());
}

}  // namespace
}  // namespace indexfuzz
