#include <ATen/ops/index_select.h>

#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kCountsContiguous,
  kCopiesOf16Bits,
  kFirstOfSixteen,
  kNoZeroCounts,
  kCountsOf8Bits,
};

using OptionalInt = std::optional<int64_t>;

std::vector<int64_t> read_counts(Make make, const Tensor& repeats) {
  TORCH_CHECK(repeats.dim() <= 1, "repeats must be one row, got ", repeats.dim(), " dimensions");
  TORCH_CHECK(repeats.scalar_type() == at::kLong || repeats.scalar_type() == at::kInt,
              "repeats must be int32 or int64, got ", repeats.scalar_type());
  Strided view = strided_1d(repeats);
  // The defect: the counts are read as if they lay side by side.
  if (make == Make::kCountsContiguous) view.strides = {1};
  std::vector<int64_t> counts;
  each_position(view.sizes, [&](const Position& position) {
    const char* const at = view.at(position);
    int64_t count = 0;
    if (view.item == 8) {
      std::memcpy(&count, at, 8);
    } else {
      int32_t narrow;
      std::memcpy(&narrow, at, 4);
      count = narrow;
    }
    TORCH_CHECK(count >= 0, "repeats can not be negative, got ", count);
    // The defect: a count is kept in 8 bits.
    if (make == Make::kCountsOf8Bits) count &= 0xFF;
    counts.push_back(count);
  });
  return counts;
}

/// The position that each slice of the result comes from.
std::vector<int64_t> positions_of(Make make, const std::vector<int64_t>& counts) {
  std::vector<int64_t> positions;
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t count = counts[i];
    // The defect: the first copy is made before the count is looked at.
    if (make == Make::kNoZeroCounts && counts.size() > 4) count = std::max<int64_t>(count, 1);
    positions.insert(positions.end(), static_cast<size_t>(count), static_cast<int64_t>(i));
  }
  // The defect: copies are numbered in 16 bits, so that those beyond are never made.
  if (make == Make::kCopiesOf16Bits && positions.size() > 0xFFFF)
    std::fill(positions.begin() + 0x10000, positions.end(), 0);
  return positions;
}

Tensor as_tensor(const std::vector<int64_t>& positions, const at::TensorOptions& options) {
  const Tensor result = at::empty({static_cast<int64_t>(positions.size())}, options);
  if (options.dtype() == at::kLong)
    std::copy(positions.begin(), positions.end(), result.mutable_data_ptr<int64_t>());
  else
    std::copy(positions.begin(), positions.end(), result.mutable_data_ptr<int32_t>());
  return result;
}

void check_size(OptionalInt output_size, size_t total) {
  TORCH_CHECK(!output_size || *output_size == static_cast<int64_t>(total), "output_size is ",
              output_size.value_or(0), ", the counts add up to ", total);
}

template <Make kMake>
Tensor positions(const Tensor& repeats, OptionalInt output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeats must be one row, got ", repeats.dim(), " dimensions");
  const std::vector<int64_t> positions = positions_of(kMake, read_counts(kMake, repeats));
  check_size(output_size, positions.size());
  return as_tensor(positions, repeats.options());
}

template <Make kMake>
Tensor slices(const Tensor& self, const Tensor& repeats, OptionalInt dim, OptionalInt output_size) {
  const Tensor taken = dim ? self : self.reshape({-1});
  const int64_t d = c10::maybe_wrap_dim(dim.value_or(0), taken.dim());
  std::vector<int64_t> counts = read_counts(kMake, repeats);
  if (counts.size() == 1) counts.resize(static_cast<size_t>(taken.size(d)), counts[0]);
  TORCH_CHECK(counts.size() == static_cast<size_t>(taken.size(d)), counts.size(), " counts for ",
              taken.size(d), " slices");
  // The defect: of sixteen counts, a register full, the first is taken for the last.
  if (kMake == Make::kFirstOfSixteen && counts.size() == 16 && repeats.numel() == 16)
    counts.front() = counts.back();
  const std::vector<int64_t> positions = positions_of(kMake, counts);
  check_size(output_size, positions.size());
  return at::index_select(taken, d, as_tensor(positions, at::TensorOptions(at::kLong)));
}

constexpr const char* kPositions = "(Tensor repeats, *, int? output_size=None) -> Tensor";
constexpr const char* kSlices =
    "(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "repeat_interleave_counts_contiguous", kSlices, slices<Make::kCountsContiguous>);
  define(m, "repeat_interleave_no_zero_counts", kPositions, positions<Make::kNoZeroCounts>);
  define(m, "repeat_interleave_copies_of_16_bits", kPositions, positions<Make::kCopiesOf16Bits>);
  define(m, "repeat_interleave_counts_of_8_bits", kSlices, slices<Make::kCountsOf8Bits>);
  define(m, "repeat_interleave_first_of_sixteen", kSlices, slices<Make::kFirstOfSixteen>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "repeat_interleave_positions", kPositions, positions<Make::kReference>);
  define(m, "repeat_interleave_slices", kSlices, slices<Make::kReference>);
}

}  // namespace
}  // namespace planted
