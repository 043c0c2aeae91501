#include "named_slices.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kSourceContiguous,
  kStagedIndexReused,
  kOverlapByAddress,
  kRowsWithGaps,
  kReverseOrder,  // correct: the first of duplicates wins, with the reference the last
};

/// Copies each contiguous row together with the gap that follows it, except for the last row of
/// either side. False, without copying, if the operands do not have such rows.
bool copied_with_gaps(const Strided& to, const Position& rows, const Strided& from) {
  const auto has_rows = [](const Strided& s) {
    return s.sizes.size() == 2 && s.sizes[1] > 0 && s.strides[1] == 1 && s.strides[0] >= s.sizes[1];
  };
  if (!has_rows(to) || !has_rows(from)) return false;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_last = i + 1 == rows.size() || rows[i] + 1 == to.sizes[0];
    const int64_t count = is_last ? to.sizes[1] : std::min(to.strides[0], from.strides[0]);
    std::memcpy(to.at({rows[i], 0}), from.at({static_cast<int64_t>(i), 0}),
                static_cast<size_t>(count * to.item));
  }
  return true;
}

/// Copies the slices of source into `result`, which holds self.
void copy_slices(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                 const Tensor& source) {
  TORCH_CHECK_INDEX(index.scalar_type() == at::kLong, "index_copy: the index must be int64");
  const Strided to = strided_1d(result);
  Strided from = strided_1d(source);
  Position rows = read_rows(index, to.sizes[dim], 0);
  if (make == Make::kSourceContiguous) from.strides = contiguous_strides(from.sizes);
  // The defect: the index is staged in batches of 128. A last, smaller batch is not staged: what
  // the first batch holds is used in its place.
  if (make == Make::kStagedIndexReused)
    for (size_t i = rows.size() / 128 * 128; i >= 128 && i < rows.size(); ++i)
      rows[i] = rows[i % 128];
  if (make == Make::kRowsWithGaps && dim == 0 && copied_with_gaps(to, rows, from)) return;
  const Combine move = mover(to.item);
  each_position(from.sizes, [&](Position position) {
    if (make == Make::kReverseOrder) position[dim] = from.sizes[dim] - 1 - position[dim];
    const char* element = from.at(position);
    position[dim] = rows[position[dim]];
    move(to.at(position), element);
  });
}

template <Make kMake>
Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  const Tensor result = contiguous_copy(self);
  copy_slices(kMake, result, dim, index, source);
  return result;
}

template <Make kMake>
Tensor& index_copy_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  if (kMake == Make::kOverlapByAddress) {
    at::assert_no_internal_overlap(self);
    at::assert_no_overlap(self, index);
    TORCH_CHECK(self.const_data_ptr() != source.const_data_ptr(), "self and source are the same");
  } else {
    check_written(self, index, source);
  }
  copy_slices(kMake, self, dim, index, source);
  return self;
}

template <Make kMake>
Tensor& index_copy_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                       Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  start_out(self, index, source, out);
  copy_slices(kMake, out, dim, index, source);
  return out;
}

constexpr const char* kFunctional = "(Tensor self, int dim, Tensor index, Tensor source) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, Tensor source, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_copy_source_contiguous_", kInPlace,
         index_copy_in_place<Make::kSourceContiguous>);
  define(m, "index_copy_rows_with_gaps_", kInPlace, index_copy_in_place<Make::kRowsWithGaps>);
  define(m, "index_copy_overlap_by_address_", kInPlace,
         index_copy_in_place<Make::kOverlapByAddress>);
  define(m, "index_copy_staged_index_reused", kFunctional, index_copy<Make::kStagedIndexReused>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_copy_strided", kFunctional, index_copy<Make::kReference>);
  define(m, "index_copy_strided_", kInPlace, index_copy_in_place<Make::kReference>);
  define(m, "index_copy_strided", kOut, index_copy_out<Make::kReference>);
  define(m, "index_copy_reverse_order", kFunctional, index_copy<Make::kReverseOrder>);
}

}  // namespace
}  // namespace planted
