#pragma once
// Argument checks that several kernels share; they throw as ATen's do.

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>

namespace kernels {

using at::Tensor;

inline void check_index_dtype(const Tensor& index) {
  TORCH_CHECK_INDEX(index.scalar_type() == at::kInt || index.scalar_type() == at::kLong,
                    "expected int32 or int64 for the index, got ", index.scalar_type());
}

inline void check_same_dtype(const Tensor& self, const Tensor& other, const char* name) {
  TORCH_CHECK(self.scalar_type() == other.scalar_type(), "expected ", self.scalar_type(), " for ",
              name, " as for self, got ", other.scalar_type());
}

inline void check_same_device(const Tensor& self, const Tensor& other, const char* name) {
  TORCH_CHECK(self.device() == other.device(), "expected ", name, " on ", self.device(),
              " as self is, got it on ", other.device());
}

/// Throws if `written` overlaps itself or a tensor of `read`.
inline void check_written(const Tensor& written, std::initializer_list<Tensor> read) {
  at::assert_no_internal_overlap(written);
  for (const Tensor& tensor : read) at::assert_no_overlap(written, tensor);
}

/// Resizes `out`, after checking that it has self's dtype and device and overlaps neither itself
/// nor a tensor of `read`. If self is not in `read`, `out` may be self, but not overlap it in part.
inline void start_out(const Tensor& self, at::IntArrayRef sizes, std::initializer_list<Tensor> read,
                      const Tensor& out) {
  check_same_dtype(self, out, "out");
  check_same_device(self, out, "out");
  check_written(out, read);
  at::native::resize_output(out, sizes);
  at::assert_no_partial_overlap(out, self);
}

}  // namespace kernels
