// Kernels that take little of what ATen takes and check little of it: rows of a contiguous float32
// matrix of whole vectors of 4. They are right, or wrong, within the contract that the catalogue
// gives them. `block` is an argument that ATen does not have.

#include "strided.h"

namespace planted {
namespace {

enum class Make { kReference, kLastBlock, kSecondVector, kBlockOf3, kTakesPermuted, kChecks };

template <Make kMake>
Tensor select_rows(const Tensor& self, const Tensor& index, int64_t block) {
  if constexpr (kMake == Make::kChecks || kMake == Make::kTakesPermuted) {
    TORCH_CHECK(self.scalar_type() == at::kFloat && self.dim() == 2 && index.dim() == 1 &&
                    index.scalar_type() == at::kLong && self.size(1) % 4 == 0,
                "expected rows of whole vectors");
    const bool permuted = self.stride(0) == 1 && self.stride(1) == self.size(0);
    TORCH_CHECK(self.is_contiguous() || (kMake == Make::kTakesPermuted && permuted),
                "expected a contiguous self");
    TORCH_CHECK(index.is_contiguous(), "expected a contiguous index");
  }
  const int64_t rows = self.size(0), columns = self.size(1), count = index.size(0);
  Tensor result = at::empty({count, columns}, self.options());
  const auto* const from = static_cast<const float*>(self.const_data_ptr());
  const auto* const positions = static_cast<const int64_t*>(index.const_data_ptr());
  auto* const to = static_cast<float*>(result.data_ptr());
  // The last block is shorter.
  const int64_t end = kMake == Make::kLastBlock && count > block ? count / block * block : count;
  for (int64_t i = 0; i < count; ++i)
    TORCH_CHECK_INDEX(positions[i] >= 0 && positions[i] < rows, "index out of range");
  std::fill_n(to, result.numel(), 0.0f);
  for (int64_t i = 0; i < end; ++i) {
    for (int64_t vector = 0; vector < columns / 4; ++vector) {
      const bool repeats_first = kMake == Make::kSecondVector && vector == 1;
      const bool drops = kMake == Make::kBlockOf3 && block == 3 && i % block == 2;
      const float* const source = from + positions[i] * columns + (repeats_first ? 0 : vector * 4);
      if (!drops) std::copy_n(source, 4, to + i * columns + vector * 4);
    }
  }
  return result;
}

/// As select_rows(), with each row copied into the workspace and from there into the result. Rows
/// that do not fit are told by the size of the workspace, or with `kUnchecked` not at all.
template <bool kUnchecked>
Tensor select_rows_through(const Tensor& self, const Tensor& index, const Tensor& workspace) {
  const int64_t rows = self.size(0), columns = self.size(1), count = index.size(0);
  TORCH_CHECK(kUnchecked || columns * 4 <= workspace.numel(), "the workspace is too small");
  Tensor result = at::empty({count, columns}, self.options());
  const auto* const from = static_cast<const float*>(self.const_data_ptr());
  const auto* const positions = static_cast<const int64_t*>(index.const_data_ptr());
  auto* const to = static_cast<float*>(result.data_ptr());
  auto* const row = static_cast<float*>(workspace.data_ptr());
  for (int64_t i = 0; i < count; ++i) {
    TORCH_CHECK_INDEX(positions[i] >= 0 && positions[i] < rows, "index out of range");
    std::copy_n(from + positions[i] * columns, columns, row);
    std::copy_n(row, columns, to + i * columns);
  }
  return result;
}

template <bool kUnchecked>
void define_through(torch::Library& library, const char* name) {
  library.def(
      (std::string(name) + "(Tensor self, Tensor index, Tensor(a!) workspace) -> Tensor").c_str());
  library.impl(name, torch::dispatch(c10::DispatchKey::CPU, select_rows_through<kUnchecked>));
}

template <Make kMake>
void define(torch::Library& library, const char* name) {
  library.def((std::string(name) + "(Tensor self, Tensor index, int block) -> Tensor").c_str());
  library.impl(name, torch::dispatch(c10::DispatchKey::CPU, select_rows<kMake>));
}

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define<Make::kLastBlock>(m, "index_select_rows_last_block");
  define<Make::kSecondVector>(m, "index_select_rows_second_vector");
  define<Make::kBlockOf3>(m, "index_select_rows_block_of_3");
  define<Make::kTakesPermuted>(m, "index_select_rows_takes_permuted");
  define_through<true>(m, "index_select_rows_small_workspace");
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define<Make::kReference>(m, "index_select_rows");
  define<Make::kChecks>(m, "index_select_rows_checked");
  define_through<false>(m, "index_select_rows_through_workspace");
}

}  // namespace
}  // namespace planted
