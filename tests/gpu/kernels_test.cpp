// indexfuzz's own kernels on a GPU against the same kernels on the CPU, which the campaigns test:
// any strides, every dtype, both orders of writing, other streams, another current device.

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel_calls.h"

namespace indexfuzz {
namespace {

using at::Tensor;

constexpr int kCases = 400;  // of each operator, order and dtype taken in turn

c10::IValue on(const c10::IValue& value, at::Device device) {
  if (value.isTensor()) return with_storage_on(value.toTensor(), device);
  if (!value.isOptionalTensorList()) return value;
  IndexList moved;
  for (const std::optional<Tensor>& entry : value.toOptionalTensorList())
    moved.push_back(entry ? std::optional(with_storage_on(*entry, device)) : std::nullopt);
  return moved;
}

/// What the call returns; every storage among `arguments` as it is left.
Tensor run(const Call& call, Stack arguments) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(
      ("indexfuzz::" + call.name).c_str(), call.overload.c_str());
  op.callBoxed(&arguments);
  return arguments.front().toTensor();
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         at::equal(storage_bytes(a.cpu().contiguous().clone()),
                   storage_bytes(b.cpu().contiguous().clone()));
}

class DrawnCalls : public ::testing::TestWithParam<Operator> {
 protected:
  void SetUp() override {
    // Beside this program in a build, in lib/indexfuzz of an install.
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    auto library = here / "libindexfuzz_kernels.so";
    if (!std::filesystem::exists(library))
      library = here / "../lib/indexfuzz/libindexfuzz_kernels.so";
    ASSERT_NE(dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  }
  void TearDown() override { at::globalContext().setDeterministicAlgorithms(false, false); }
};

class OwnKernels : public DrawnCalls {
 protected:
  void SetUp() override {
    if (c10::cuda::device_count() == 0) GTEST_SKIP() << "skipped: no CUDA device";
    DrawnCalls::SetUp();
  }
};

/// Runs cases on the CPU and on the device, and compares results and what was written.
void compare(const Operator& op, bool deterministic, at::Device device, int cases) {
  Draws draws(deterministic ? 1 : 2);
  at::manual_seed(3);
  at::globalContext().setDeterministicAlgorithms(deterministic, false);
  for (int i = 0; i < cases; ++i) {
    const at::ScalarType dtype = kMoved[static_cast<size_t>(i) % kMoved.size()];
    const Call call = op.draw(draws, dtype, !deterministic);
    Stack there;
    for (const c10::IValue& argument : call.arguments) there.push_back(on(argument, device));
    const Tensor expected = run(call, call.arguments), actual = run(call, there);
    ASSERT_TRUE(same_bytes(expected, actual))
        << "case " << i << " of " << dtype << " " << expected.sizes() << "\n"
        << call.arguments.front().toTensor().sizes();
    if (call.written < 0) continue;
    const auto k = static_cast<size_t>(call.written);
    ASSERT_TRUE(
        at::equal(storage_bytes(call.arguments[k].toTensor()), storage_bytes(there[k].toTensor())))
        << "case " << i << ": wrote between the elements of its operand";
  }
}

TEST_P(DrawnCalls, AreLegalAndTheSameTwice) {
  compare(GetParam(), true, at::kCPU, kCases / 4);
}

TEST_P(OwnKernels, AgreeWithTheCpu) {
  compare(GetParam(), false, at::Device(at::kCUDA, 0), kCases);
}

TEST_P(OwnKernels, AgreeWithTheCpuInAFixedOrder) {
  compare(GetParam(), true, at::Device(at::kCUDA, 0), kCases);
}

TEST_P(OwnKernels, RunOnTheCurrentStream) {
  const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  compare(GetParam(), false, at::Device(at::kCUDA, 0), kCases / 8);
}

TEST_P(OwnKernels, RunOnTheDeviceOfTheirOperands) {
  if (c10::cuda::device_count() < 2) GTEST_SKIP() << "skipped: needs two CUDA devices";
  compare(GetParam(), false, at::Device(at::kCUDA, 1), kCases / 8);
}

std::string name_of(const ::testing::TestParamInfo<Operator>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Cpu, DrawnCalls, ::testing::ValuesIn(drawn_operators()), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, OwnKernels, ::testing::ValuesIn(drawn_operators()), name_of);

}  // namespace
}  // namespace indexfuzz
