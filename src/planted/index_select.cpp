#include <ATen/Parallel.h>
#include <ATen/Version.h>

#include <algorithm>
#include <limits>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kStrideAsSize,
  kOffsetIgnored,
  kBoundOffByOne,
  kNegativeAccepted,
  kInt64IndexAsInt32,
  kTailDropped,
  kFastPathContiguous,
  kRowAsByte,
  kIntThroughDouble,
  kEmptyIndexCrash,
  kZeroDimShape,
  kOutIgnoresStrides,
  kSeamBetweenThreads,
  kScalarFallback,
  kOffsetIn32Bits,
};

void check_legal(const Tensor& self, const Tensor& index) {
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select: the index has ", index.dim(),
                    " dimensions, not one");
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1,
              "index_select: a 0-dim self takes one index, got ", index.numel());
  check_index_dtype(index);
}

Position result_shape(const Tensor& self, int64_t dim, const Tensor& index) {
  Position shape(self.sizes());
  if (!shape.empty()) shape[dim] = index.numel();
  return shape;
}

std::vector<int64_t> read_rows(Make make, const Tensor& index, int64_t size) {
  Strided view = strided_1d(index);
  // The defect: the stride, in elements of eight bytes, is taken as one in elements of four.
  if (make == Make::kInt64IndexAsInt32) view.item = 4;

  std::vector<int64_t> rows;
  each_position(view.sizes, [&](const Position& position) {
    int64_t row = read_index(view.at(position), view.item);
    if (make == Make::kNegativeAccepted && row < 0) row += size;
    const bool below = make == Make::kBoundOffByOne ? row <= size : row < size;
    TORCH_CHECK_INDEX(row >= 0 && below, "index_select: index ", row, " is out of range for size ",
                      size);
    // The defect: a byte numbers 256 rows, but the condition lets 257 through.
    if (make == Make::kRowAsByte && size <= 257) row = static_cast<uint8_t>(row);
    rows.push_back(row);
  });
  return rows;
}

void move_through_double(char* to, const char* from) {
  change_element<int64_t>(to, from, [](int64_t, int64_t value) {
    return static_cast<int64_t>(static_cast<double>(value));
  });
}

void select_rows(Make make, const Tensor& self, int64_t dim, const Tensor& index,
                 const Tensor& result) {
  Strided from = strided_1d(self);
  Strided to = strided_1d(result);
  Combine move = mover(from.item);
  const std::vector<int64_t> rows = read_rows(make, index, from.sizes[dim]);

  if (make == Make::kStrideAsSize) from.strides[dim] = contiguous_strides(from.sizes)[dim];
  if (make == Make::kOffsetIgnored) from.data = static_cast<char*>(self.storage().mutable_data());
  if (make == Make::kFastPathContiguous && result.numel() > 64)
    from.strides = contiguous_strides(from.sizes);
  if (make == Make::kIntThroughDouble && self.scalar_type() == at::kLong)
    move = move_through_double;
  if (make == Make::kOutIgnoresStrides) to.strides = contiguous_strides(to.sizes);
  // The defect: of an empty vector, max_element() returns the end, here a null pointer.
  if (make == Make::kEmptyIndexCrash && self.numel() > 0)
    TORCH_CHECK_INDEX(*std::max_element(rows.begin(), rows.end()) < from.sizes[dim],
                      "index_select: out of range");

  // The defect: the last element of each thread's share is not written.
  int64_t share = std::numeric_limits<int64_t>::max();
  if (make == Make::kSeamBetweenThreads && at::get_num_threads() > 1 && result.numel() >= 32768)
    share = result.numel() / at::get_num_threads();
  // The defect: without vector instructions, only half of a 16-byte element is moved.
  if (make == Make::kScalarFallback && from.item == 16 && at::get_cpu_capability() == "DEFAULT")
    move = mover(8);
  int64_t number = 0;
  const int64_t last = static_cast<int64_t>(to.sizes.size()) - 1;
  const int64_t length = to.sizes[last];
  const bool by_fours = make == Make::kTailDropped && dim != last && length >= 4;
  each_position(to.sizes, [&](const Position& position) {
    if (by_fours && position[last] >= length / 4 * 4) return;
    if (++number % share == 0) return;
    Position source = position;
    source[dim] = rows[position[dim]];
    const char* element = from.at(source);
    if (make == Make::kOffsetIn32Bits)
      element = from.data + static_cast<int32_t>((element - from.data) / from.item) * from.item;
    move(to.at(position), element);
  });
}

template <Make kMake>
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, index);
  Position shape = result_shape(self, dim, index);
  if (kMake == Make::kZeroDimShape && shape.empty()) shape.push_back(1);
  const Tensor result = at::empty(shape, self.options());
  select_rows(kMake, self, dim, index, result);
  return result;
}

template <Make kMake>
Tensor& index_select_out(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, index);
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "index_select: self is ", self.scalar_type(),
              ", out ", out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, index);
  at::native::resize_output(out, result_shape(self, dim, index));
  select_rows(kMake, self, dim, index, out);
  return out;
}

constexpr const char* kFunctional = "(Tensor self, int dim, Tensor index) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_select_stride_as_size", kFunctional, index_select<Make::kStrideAsSize>);
  define(m, "index_select_offset_ignored", kFunctional, index_select<Make::kOffsetIgnored>);
  define(m, "index_select_bound_off_by_one", kFunctional, index_select<Make::kBoundOffByOne>);
  define(m, "index_select_negative_accepted", kFunctional, index_select<Make::kNegativeAccepted>);
  define(m, "index_select_int64_index_as_int32", kFunctional,
         index_select<Make::kInt64IndexAsInt32>);
  define(m, "index_select_tail_dropped", kFunctional, index_select<Make::kTailDropped>);
  define(m, "index_select_fast_path_contiguous", kFunctional,
         index_select<Make::kFastPathContiguous>);
  define(m, "index_select_row_as_byte", kFunctional, index_select<Make::kRowAsByte>);
  define(m, "index_select_int_through_double", kFunctional, index_select<Make::kIntThroughDouble>);
  define(m, "index_select_empty_index_crash", kFunctional, index_select<Make::kEmptyIndexCrash>);
  define(m, "index_select_zero_dim_shape", kFunctional, index_select<Make::kZeroDimShape>);
  define(m, "index_select_seam_between_threads", kFunctional,
         index_select<Make::kSeamBetweenThreads>);
  define(m, "index_select_scalar_fallback", kFunctional, index_select<Make::kScalarFallback>);
  define(m, "index_select_offset_in_32_bits", kFunctional, index_select<Make::kOffsetIn32Bits>);
  define(m, "index_select_out_ignores_strides", kOut, index_select_out<Make::kOutIgnoresStrides>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_select_strided", kFunctional, index_select<Make::kReference>);
  define(m, "index_select_strided", kOut, index_select_out<Make::kReference>);
}

}  // namespace
}  // namespace planted
