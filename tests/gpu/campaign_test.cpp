// Campaigns on a GPU, as a user runs them: `indexfuzz` must stand beside this program.

#include <c10/cuda/CUDAFunctions.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path beside(const std::string& name) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  return fs::exists(here / name) ? here / name : here / "../lib/indexfuzz" / name;
}

class Campaign : public testing::Test {
 protected:
  void SetUp() override {
    if (c10::cuda::device_count() == 0) GTEST_SKIP() << "skipped: no CUDA device";
    std::string name = (fs::temp_directory_path() / "indexfuzz-gpu-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  enum class Programs : bool { kNone, kRun };

  /// `indexfuzz fuzz ARGUMENTS`: its summary.
  json fuzz(const std::string& name, const std::string& arguments, int exit_code,
            Programs programs = Programs::kNone, int jobs = 1) {
    const fs::path out = folder_ / name;
    const std::string command = beside("indexfuzz").string() + " fuzz " + arguments +
                                (programs == Programs::kNone ? " --no-verify" : "") + " --jobs " +
                                std::to_string(jobs) + " --out " + out.string() + " > " +
                                out.string() + ".txt 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), exit_code) << command;
    std::ifstream file(out / "summary.json");
    return json::parse(file, nullptr, false);
  }

 private:
  fs::path folder_;
};

/// How many cases of each operator agreed; how many illegal ones were refused depends on time.
json agreed(const json& summary) {
  json counts = json::object();
  for (const auto& [op, pair] : summary["implementations"]["aten:cuda"].items())
    counts[op] = pair["agreed"];
  return counts;
}

/// How many findings are faults of the device. Each must be this kernel's.
int faults_of(const std::string& kernel, const json& summary) {
  int faults = 0;
  for (const json& finding : summary["findings"]) {
    if (finding["kind"] != "device") continue;
    EXPECT_EQ(finding["implementation"], kernel) << finding["signature"];
    ++faults;
  }
  return faults;
}

TEST_F(Campaign, GivesTheSameVerdictsWhicheverThreadsPreparedItsCases) {
  const std::string arguments =
      "gather scatter index_copy --impl aten:cuda --cases 5000 --seed 5 --no-ledger";
  // PyTorch's own scatter with reduce fails among them.
  const json one = fuzz("one", arguments, 77), another = fuzz("another", arguments, 77);
  ASSERT_TRUE(one.is_object());
  EXPECT_EQ(agreed(one), agreed(another));
  EXPECT_EQ(one["mix"], another["mix"]);
  EXPECT_GT(one["implementations"]["aten:cuda"]["index_copy"]["agreed"], 500);
}

TEST_F(Campaign, BlamesTheKernelWhoseFaultEndsABatchOfMany) {
  const std::string kernel = "planted_cuda::index_select_misaligned_vector@cuda";
  const json summary =
      fuzz("fault",
           "index_select --load " + beside("libindexfuzz_planted_cuda.so").string() +
               " --impl aten:cuda --impl " + kernel + " --time 60s --max-findings 1 --seed 3",
           77);
  ASSERT_TRUE(summary.is_object());
  EXPECT_GT(faults_of(kernel, summary), 0);
}

TEST_F(Campaign, RunsOtherOperatorsWhileABatchIsExamined) {
  const std::string kernel = "planted_cuda::gather_rank5_assert@cuda";
  const json summary =
      fuzz("aside",
           "gather index_select take --load " + beside("libindexfuzz_planted_cuda.so").string() +
               " --impl aten:cuda --impl " + kernel +
               " --time 60s --max-findings 1 --legal-only --seed 3",
           77, Programs::kNone, /*jobs=*/3);
  ASSERT_TRUE(summary.is_object());
  EXPECT_GT(faults_of(kernel, summary), 0);
  const json& judged = summary["implementations"];
  EXPECT_GT(judged["aten:cuda"]["take"]["agreed"], 1000);
  EXPECT_GT(judged[kernel]["gather"]["steered"], 0) << "while others went on";
}

TEST_F(Campaign, ShowsInProgramsWhatIsNeverWrittenWhereZeroIsRight) {
  const json summary =
      fuzz("unwritten",
           "embedding_dense_backward --load " + beside("libindexfuzz_planted_cuda.so").string() +
               " --impl planted_cuda::embedding_dense_backward_other_rows_unwritten"
               " --time 60s --max-findings 1 --seed 1",
           77, Programs::kRun);
  ASSERT_TRUE(summary.is_object());
  EXPECT_FALSE(summary["findings"].empty());
  for (const json& finding : summary["findings"]) {
    EXPECT_EQ(finding["repro_py_verified"], true) << finding["signature"];
    EXPECT_NE(finding["repro_cpp_verified"], false) << finding["signature"];
  }
}

}  // namespace
}  // namespace indexfuzz
