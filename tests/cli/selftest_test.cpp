// Which kernels `selftest` takes, on a machine with a GPU and on one without, and what it makes of
// campaigns that cannot do their work.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/workers/subprocess.h"
#include "command.h"
#include "indexfuzz_config.h"
#include "run/shared/cuda_driver.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Selftest, SaysWithoutAGpuThatKernelsForCudaAreSkipped) {
  if (std::string why; !visible_devices(why).empty()) GTEST_SKIP() << "this machine has a GPU";
  const Ended alone = run({"selftest", "--device", "cuda", "--kernels", "gather"});
  EXPECT_EQ(alone.code, 69);
  EXPECT_THAT(alone.err, HasSubstr("kernels for CUDA: skipped: no CUDA device"));
  EXPECT_EQ(alone.out, "");

  const Ended both = run(
      {"selftest", "--no-programs", "--kernels", "gather_column_major", "--correct-cases", "500"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("1 of 1 correct kernels silent"));
  EXPECT_THAT(both.out, HasSubstr("1 kernel for CUDA: skipped: no CUDA device"));
}

TEST(Selftest, TakesThePluginOfOneDeviceAlone) {
  const Ended ended = run({"selftest", "--no-programs", "--device", "cpu", "--kernels",
                           "gather_column_major", "--correct-cases", "500"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("CUDA")));
  const Ended unknown = run({"selftest", "--device", "tpu"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("tpu"));
}

TEST(Selftest, RefusesAnUnknownEngineBeforeAnythingRuns) {
  const Ended ended = run({"selftest", "--engine", "covrage", "--kernels", "gather_past_output"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.err, "indexfuzz: there is no engine 'covrage'; did you mean coverage?\n");
  EXPECT_EQ(ended.out, "");
}

TEST(Selftest, ACampaignThatCannotDoItsWorkShowsNothing) {
  // No worker can be started where no file may have the size of what it shares.
  Subprocess limited({"bash", "-c",
                      "trap '' XFSZ; ulimit -f 64; exec " + std::string(config::kBuildDir) +
                          "/indexfuzz selftest --no-programs --device cpu --kernels gather_past_"},
                     std::chrono::seconds(120));
  const Ended ended = run(limited);
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out,
              HasSubstr("planted::gather_past_output: NOT TRIED, the campaign exited with 1: "
                        "indexfuzz: cannot start a worker process: "));
  EXPECT_THAT(limited.output(), HasSubstr("1 kernel not tried"));
  EXPECT_THAT(limited.output(), Not(HasSubstr("NOT CAUGHT")));
  EXPECT_THAT(limited.output(), Not(HasSubstr("planted bugs caught")));
}

}  // namespace
}  // namespace indexfuzz
