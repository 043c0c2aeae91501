// indexfuzz's own kernels on a GPU against the same kernels on the CPU, which the campaigns test:
// any strides, every dtype, both orders of writing, other streams, another current device.

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "device_copy.h"

namespace indexfuzz {
namespace {

using at::Tensor;
using Stack = std::vector<c10::IValue>;
using IndexList = c10::List<std::optional<Tensor>>;

constexpr int kCases = 400;  // of each operator, order and dtype taken at random
constexpr int64_t kMostDuplicates = 40;
const std::vector<at::ScalarType> kMoved{
    at::kBool,        at::kByte,         at::kChar,          at::kShort,         at::kInt,
    at::kLong,        at::kHalf,         at::kBFloat16,      at::kFloat,         at::kDouble,
    at::kComplexHalf, at::kComplexFloat, at::kComplexDouble, at::kFloat8_e4m3fn, at::kFloat8_e5m2,
    at::kUInt16,      at::kUInt32,       at::kUInt64};

struct Call {
  std::string name, overload;
  Stack arguments;
  int written = -1;  ///< the argument that is written
};

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

/// Draws one call of an operator; `any_order`: where writes meet, the outcome may depend on it.
struct Operator {
  std::string name;
  Call (*draw)(Draws&, at::ScalarType, bool any_order);
};

Tensor value(Draws& draws, at::IntArrayRef sizes, at::ScalarType dtype) {
  return draw_tensor(draws, sizes, dtype, true);
}
Tensor target(Draws& draws, at::IntArrayRef sizes, at::ScalarType dtype) {
  return draw_tensor(draws, sizes, dtype, false);
}

/// A dtype in which up to `most` of the values drawn have a sum that is exact in every order.
at::ScalarType summed(at::ScalarType dtype, bool any_order, int64_t most) {
  if (!any_order || c10::isIntegralType(dtype, true)) return dtype;
  const bool narrow =
      c10::elementSize(c10::toRealValueType(dtype)) <= (most > kMostDuplicates ? 2 : 1);
  return narrow ? at::kFloat : dtype;
}

/// Of rank 1 to 5, in which dimension `dim` is not empty.
std::vector<int64_t> sizes_with(Draws& draws, int64_t& dim) {
  const int64_t rank = 1 + draws.below(5);
  std::vector<int64_t> sizes = draw_sizes(draws, rank);
  dim = draws.below(rank);
  int64_t& size = sizes[static_cast<size_t>(dim)];
  size = std::max<int64_t>(size, 1);
  return sizes;
}

Call draw_index_select(Draws& draws, at::ScalarType dtype, bool) {
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  return {"index_select",
          "",
          {value(draws, sizes, dtype), dim,
           draw_index(draws, {draws.below(40)}, 0, sizes[static_cast<size_t>(dim)])}};
}

Call draw_gather(Draws& draws, at::ScalarType dtype, bool) {
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  auto index = sizes;
  index[static_cast<size_t>(dim)] = draws.below(12);
  return {"gather",
          "",
          {value(draws, sizes, dtype), dim,
           draw_index(draws, index, 0, sizes[static_cast<size_t>(dim)]), false}};
}

Call draw_scatter_add(Draws& draws, at::ScalarType dtype, bool any_order) {
  dtype = summed(dtype, any_order, kMostDuplicates);
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  auto index = sizes;
  index[static_cast<size_t>(dim)] = draws.below(kMostDuplicates);
  return {
      "scatter_add_",
      "",
      {target(draws, sizes, dtype), dim,
       draw_index(draws, index, 0, sizes[static_cast<size_t>(dim)]), value(draws, index, dtype)},
      0};
}

Call draw_index_add(Draws& draws, at::ScalarType dtype, bool any_order) {
  dtype = summed(dtype, any_order, kMostDuplicates);
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  auto source = sizes;
  source[static_cast<size_t>(dim)] = draws.below(kMostDuplicates);
  return {
      "index_add_",
      "",
      {target(draws, sizes, dtype), dim,
       draw_index(draws, {source[static_cast<size_t>(dim)]}, 0, sizes[static_cast<size_t>(dim)]),
       value(draws, source, dtype), draws.one_in(2) ? 1 : 2},
      0};
}

/// Positions in one or two of three dimensions, or a mask over the first of them.
IndexList draw_list(Draws& draws, const std::vector<int64_t>& sizes) {
  IndexList list;
  if (draws.one_in(3)) {
    list.push_back(value(draws, {sizes[0]}, at::kBool));
    return list;
  }
  const std::vector<int64_t> shape = draw_sizes(draws, 1 + draws.below(2));
  const auto positions = [&](size_t d) {
    return std::optional<Tensor>(draw_index(draws, shape, -sizes[d], sizes[d]));
  };
  list.push_back(draws.one_in(2) ? positions(0) : std::nullopt);
  list.push_back(list.get(0) && draws.one_in(2) ? std::optional<Tensor>() : positions(1));
  if (draws.one_in(2)) list.push_back(positions(2));
  return list;
}

std::vector<int64_t> three_sizes(Draws& draws) {
  std::vector<int64_t> sizes = draw_sizes(draws, 3);
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  return sizes;
}

Call draw_index_call(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = three_sizes(draws);
  return {"index", "Tensor", {value(draws, sizes, dtype), draw_list(draws, sizes)}};
}

Call draw_index_put(Draws& draws, at::ScalarType dtype, bool any_order) {
  dtype = summed(dtype, any_order, 1 << 14);
  const auto sizes = three_sizes(draws);
  const bool accumulate = any_order || draws.one_in(2);
  return {
      "index_put_",
      "",
      {target(draws, sizes, dtype), draw_list(draws, sizes), value(draws, {}, dtype), accumulate},
      0};
}

/// Distinct positions, so that the order does not matter.
Call draw_index_put_distinct(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = three_sizes(draws);
  IndexList list;
  list.push_back(std::optional<Tensor>(at::randperm(sizes[0], at::kLong)));
  return {
      "index_put_", "", {target(draws, sizes, dtype), list, value(draws, sizes, dtype), false}, 0};
}

Call draw_masked_fill(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = draw_sizes(draws, draws.below(6));
  return {"masked_fill_",
          "Scalar",
          {target(draws, sizes, dtype), value(draws, sizes, at::kBool), 1},
          0};
}

Call draw_masked_select(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = draw_sizes(draws, draws.below(6));
  return {"masked_select", "", {value(draws, sizes, dtype), value(draws, sizes, at::kBool)}};
}

Call draw_nonzero(Draws& draws, at::ScalarType dtype, bool) {
  return {"nonzero", "", {value(draws, draw_sizes(draws, draws.below(6)), dtype)}};
}

Call draw_masked_scatter(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = draw_sizes(draws, draws.below(6));
  return {"masked_scatter_",
          "",
          {target(draws, sizes, dtype), value(draws, sizes, at::kBool), value(draws, sizes, dtype)},
          0};
}

Call draw_embedding(Draws& draws, at::ScalarType dtype, bool) {
  const int64_t rows = 1 + draws.below(300);
  return {"embedding",
          "",
          {value(draws, {rows, draws.below(40)}, dtype),
           draw_index(draws, draw_sizes(draws, draws.below(4)), 0, rows), -1, false, false}};
}

const std::vector<Operator> kOperators{
    {"index_select", draw_index_select},
    {"gather", draw_gather},
    {"scatter_add", draw_scatter_add},
    {"index_add", draw_index_add},
    {"index", draw_index_call},
    {"index_put", draw_index_put},
    {"index_put_distinct", draw_index_put_distinct},
    {"masked_fill", draw_masked_fill},
    {"masked_select", draw_masked_select},
    {"nonzero", draw_nonzero},
    {"masked_scatter", draw_masked_scatter},
    {"embedding", draw_embedding},
};

class DrawnCalls : public ::testing::TestWithParam<Operator> {
 protected:
  void SetUp() override {
    const auto library =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libindexfuzz_kernels.so";
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
INSTANTIATE_TEST_SUITE_P(Cpu, DrawnCalls, ::testing::ValuesIn(kOperators), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, OwnKernels, ::testing::ValuesIn(kOperators), name_of);

}  // namespace
}  // namespace indexfuzz
