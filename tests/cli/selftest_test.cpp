// Which kernels `selftest` takes, on a machine with a GPU and on one without.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/gpu/cuda_devices.h"
#include "command.h"

namespace indexfuzz {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Selftest, SaysWithoutAGpuThatKernelsForCudaAreSkipped) {
  if (cuda_devices() > 0) GTEST_SKIP() << "this machine has a GPU";
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

}  // namespace
}  // namespace indexfuzz
