// indexfuzz's own kernels on one GPU: each against ATen's of the same name and against what a copy
// of as many bytes takes. Their results are compared before anything is timed.
//
//   indexfuzz_kernels_bench [ROWS [COLUMNS]]     of floats; 1048576 256
//
// It looks for libindexfuzz_kernels.so beside it and where an installed tree has it.

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace indexfuzz {
namespace {

using at::Tensor;
using Stack = std::vector<c10::IValue>;

/// One call, by the name that both registrations share.
struct Call {
  std::string what;
  std::string name;      ///< "index_add_"
  std::string overload;  ///< "Scalar"
  Stack arguments;
  double bytes;  ///< read and written by a kernel that touches nothing twice
};

Tensor run(const std::string& space, const Call& call, Stack arguments) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow((space + "::" + call.name).c_str(),
                                                                 call.overload.c_str());
  op.callBoxed(&arguments);
  return arguments.front().toTensor();
}

/// The arguments with a copy of the one that is written.
Stack fresh(const Call& call) {
  Stack arguments = call.arguments;
  if (call.name.ends_with('_')) arguments.front() = arguments.front().toTensor().clone();
  return arguments;
}

/// Milliseconds of one run, the least of several.
double milliseconds(const std::function<void()>& once) {
  constexpr int kRuns = 7;
  once();
  double least = 1e30;
  for (int i = 0; i < kRuns; ++i) {
    at::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
    begin.record();
    once();
    end.record();
    end.synchronize();
    least = std::min<double>(least, begin.elapsed_time(end));
  }
  return least;
}

double gigabytes_per_second(double bytes, double ms) {
  return bytes / ms * 1e-6;
}

std::vector<Call> calls(int64_t rows, int64_t columns) {
  const auto options = at::TensorOptions(at::kCUDA).dtype(at::kFloat);
  const auto wide = options.dtype(at::kLong);
  const double n = static_cast<double>(rows) * static_cast<double>(columns);
  const double floats = 4 * n;
  // Small integers, whose sums are exact in every order.
  const Tensor self = at::randint(8, {rows, columns}, options);
  const Tensor source = at::randint(8, {rows, columns}, options);
  const Tensor permuted = at::randperm(rows, wide);
  const Tensor some_columns = at::randint(columns, {columns}, wide);
  const Tensor few = at::randint(std::min<int64_t>(rows, 1000), {rows}, wide);
  const Tensor along_rows = at::randint(rows, {rows, columns}, wide);
  const Tensor along_columns = at::randint(columns, {rows, columns}, wide);
  const Tensor mask = at::rand({rows, columns}, options).lt(0.5);
  const double set = mask.sum().item<double>();
  const Tensor small = self.slice(0, 0, std::min<int64_t>(rows, 1000));
  const auto list = [](const Tensor& index) {
    return c10::List<std::optional<Tensor>>({std::optional<Tensor>(index)});
  };
  const double slices = 2 * floats + 8.0 * static_cast<double>(rows);
  const double updates = 3 * floats + 8.0 * static_cast<double>(rows);
  return {
      {"index_select rows", "index_select", "", {self, 0, permuted}, slices},
      {"index_select of a transposed self",
       "index_select",
       "",
       {self.view({columns, rows}).t(), 0, permuted},
       slices},
      {"index_select columns", "index_select", "", {self, 1, some_columns}, 2 * floats},
      {"gather dim 0", "gather", "", {self, 0, along_rows, false}, 2 * floats + 8 * n},
      {"gather dim 1", "gather", "", {self, 1, along_columns, false}, 2 * floats + 8 * n},
      {"index rows", "index", "Tensor", {self, list(permuted)}, slices},
      {"index by a mask", "index", "Tensor", {self, list(mask)}, n + 8 * set},
      {"index_put rows", "index_put_", "", {self, list(permuted), source, false}, slices},
      {"index_put accumulate", "index_put_", "", {self, list(permuted), source, true}, updates},
      {"index_put accumulate onto 1,000 rows",
       "index_put_",
       "",
       {small, list(few), source, true},
       floats},
      {"scatter_add dim 0", "scatter_add_", "", {self, 0, along_rows, source}, 3 * floats + 8 * n},
      {"index_add rows", "index_add_", "", {self, 0, permuted, source, 1}, updates},
      {"index_add onto 1,000 rows", "index_add_", "", {small, 0, few, source, 1}, floats},
      {"masked_fill", "masked_fill_", "Scalar", {self, mask, 1.0}, n + 4 * set},
      {"masked_select", "masked_select", "", {self, mask}, n + 8 * set},
      {"nonzero", "nonzero", "", {mask}, n + 16 * set},
      {"masked_scatter", "masked_scatter_", "", {self, mask, source}, n + 8 * set},
      {"embedding", "embedding", "", {self, permuted, -1, false, false}, slices},
  };
}

/// Returns whether the results agree; prints one line.
bool compare(const Call& call, double copy) {
  {
    const Tensor own = run("indexfuzz", call, fresh(call)), aten = run("aten", call, fresh(call));
    if (!at::equal(own, aten)) {
      fmt::print("{:<38} THE RESULTS DIFFER\n", call.what);
      return false;
    }
  }
  c10::cuda::CUDACachingAllocator::emptyCache();
  const Stack arguments = fresh(call);
  const double own = milliseconds([&] { run("indexfuzz", call, arguments); });
  const double aten = milliseconds([&] { run("aten", call, arguments); });
  const double rate = gigabytes_per_second(call.bytes, own);
  fmt::print("{:<38} {:>10.3f} {:>10.3f} {:>9.0f} {:>9.0f} {:>8.2f} {:>7.0f} %\n", call.what, own,
             aten, rate, gigabytes_per_second(call.bytes, aten), aten / own, 100 * rate / copy);
  std::fflush(stdout);
  return true;
}

int main_program(int64_t rows, int64_t columns) {
  if (c10::cuda::device_count() == 0) {
    fmt::print("skipped: no CUDA device\n");
    return 0;
  }
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  auto library = here / "libindexfuzz_kernels.so";
  if (!exists(library)) library = here.parent_path() / "lib/indexfuzz/libindexfuzz_kernels.so";
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    fmt::print(stderr, "{}\n", dlerror());
    return 1;
  }
  at::manual_seed(1);
  const Tensor from = at::empty({rows, columns}, at::TensorOptions(at::kCUDA).dtype(at::kFloat));
  Tensor to = at::empty_like(from);
  const double bytes = 2.0 * static_cast<double>(from.nbytes());
  const double copy = gigabytes_per_second(bytes, milliseconds([&] { to.copy_(from); }));
  fmt::print("{} x {} floats; a copy moves {:.0f} GB/s\n\n", rows, columns, copy);
  fmt::print("{:<38} {:>10} {:>10} {:>9} {:>9} {:>8} {:>9}\n", "", "own ms", "ATen ms", "own GB/s",
             "ATen GB/s", "ATen/own", "of a copy");
  bool agree = true;
  for (const Call& call : calls(rows, columns)) agree = compare(call, copy) && agree;
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace indexfuzz

int main(int argc, char** argv) {
  const long long rows = argc > 1 ? std::atoll(argv[1]) : 1 << 20;
  const long long columns = argc > 2 ? std::atoll(argv[2]) : 256;
  if (argc > 3 || rows < 1 || columns < 1) {
    fmt::print(stderr, "usage: indexfuzz_kernels_bench [ROWS [COLUMNS]]\n");
    return 1;
  }
  return indexfuzz::main_program(rows, columns);
}
