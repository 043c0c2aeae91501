#pragma once
// Random strided operands on the CPU, and the same ones on a GPU.

#include <ATen/ATen.h>

#include <random>
#include <vector>

namespace indexfuzz {

/// Any numbers, the same for the same seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  /// In [0, below).
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(engine_() % static_cast<std::uint64_t>(bound));
  }
  bool one_in(int64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

/// Sizes 0 to 9, now and then one around a block.
std::vector<int64_t> draw_sizes(Draws& draws, int64_t rank);

/// A view of a larger buffer: dimensions permuted, steps, an offset, and where `expands` is set
/// stride 0. Elements are small integers, whose sums are exact in every order.
at::Tensor draw_tensor(Draws& draws, at::IntArrayRef sizes, at::ScalarType dtype, bool expands);

/// Positions in [low, high) as int32 or int64, strided. `high` is above `low`, or the shape empty.
at::Tensor draw_index(Draws& draws, at::IntArrayRef sizes, int64_t low, int64_t high);

/// The tensor with its whole storage on another device, strides and offset kept.
at::Tensor with_storage_on(const at::Tensor& tensor, at::Device device);

/// Bytes of the whole storage, on the CPU.
at::Tensor storage_bytes(const at::Tensor& tensor);

}  // namespace indexfuzz
