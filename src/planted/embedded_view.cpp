#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/select.h>

#include <optional>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kIndexWrappedByRows,
  kDenseSrc,
  kStepsRoundedDown,
  kStartNotClamped,
  kRowsAndColumnsExchanged,
  kOffsetNotCounted,
  kStridesExchanged,
  kLastOneFirst,
};

/// Elements of a dense tensor; strides and `first` count elements.
struct View {
  Position sizes, strides;
  int64_t first = 0;

  explicit View(const Tensor& self)
      : sizes(self.sizes()), strides(contiguous_strides(Position(self.sizes()))) {}
};

void erase(Position& position, int64_t dim) {
  position.erase(position.begin() + dim);
}

void check_src(const Tensor& self, const Tensor& src, const Position& sizes) {
  TORCH_CHECK(self.scalar_type() == src.scalar_type(), "src is of another dtype than self");
  TORCH_CHECK(src.sizes() == at::IntArrayRef(sizes), "src has sizes ", src.sizes(),
              ", what it replaces ", at::IntArrayRef(sizes));
}

/// A copy of self in which the view's elements are src's.
Tensor embed(Make make, const Tensor& self, const Tensor& src, const View& view) {
  const Tensor result = contiguous_copy(self);
  Strided from = strided(src), to = strided(result);
  // The defect: src's own strides are not looked at.
  if (make == Make::kDenseSrc) from.strides = contiguous_strides(from.sizes);
  to.data += view.first * to.item;
  to.sizes = view.sizes;
  to.strides = view.strides;
  copy_elements(from, to);
  return result;
}

int64_t checked_dim(const Tensor& self, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "a tensor of rank 0 has no slices");
  return c10::maybe_wrap_dim(dim, self.dim());
}

template <Make kMake>
Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  dim = checked_dim(self, dim);
  const int64_t slices = self.size(dim);
  TORCH_CHECK(-slices <= index && index < slices, "index ", index, " of ", slices, " slices");
  // The defect: the number of rows is added, whatever the dimension.
  if (index < 0) index += kMake == Make::kIndexWrappedByRows ? self.size(0) : slices;
  TORCH_CHECK(0 <= index && index < slices, "index ", index, " of ", slices, " slices");
  View view(self);
  view.first = index * view.strides[static_cast<size_t>(dim)];
  erase(view.sizes, dim);
  erase(view.strides, dim);
  check_src(self, src, view.sizes);
  return embed(kMake, self, src, view);
}

/// Composed of ATen's select.
Tensor select_scatter_into(const Tensor& result, const Tensor& src, int64_t dim, int64_t index) {
  const Tensor slice = at::select(result, dim, index);
  check_src(result, src, Position(slice.sizes()));
  copy_elements(strided(src), strided(slice));
  return result;
}
Tensor select_scatter_composed(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  return select_scatter_into(contiguous_copy(self), src, dim, index);
}
Tensor select_scatter_strides_kept(const Tensor& self, const Tensor& src, int64_t dim,
                                   int64_t index) {
  if (self.numel() == 0) return select_scatter_composed(self, src, dim, index);
  int64_t extent = 1;
  for (int64_t d = 0; d < self.dim(); ++d) extent += (self.size(d) - 1) * self.stride(d);
  // The defect: the copy has self's strides, even if elements share memory under them.
  const Tensor memory = at::empty({extent}, self.options());
  const Tensor copy = memory.as_strided(self.sizes(), self.strides(), memory.storage_offset());
  copy_elements(strided(self), strided(copy));
  return select_scatter_into(copy, src, dim, index);
}

/// The place inside a dimension that a start or an end names.
int64_t place(std::optional<int64_t> named, int64_t size, int64_t if_none) {
  if (!named) return if_none;
  return std::clamp<int64_t>(*named < 0 ? *named + size : *named, 0, size);
}

template <Make kMake>
Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  const auto d = static_cast<size_t>(checked_dim(self, dim));
  TORCH_CHECK(step > 0, "the step is ", step);
  View view(self);
  const int64_t size = view.sizes[d], from = place(start, size, 0), to = place(end, size, size);
  view.sizes[d] = to > from ? (to - from - 1) / step + 1 : 0;
  check_src(self, src, view.sizes);
  // The defect: the last slice is lost if no whole step follows it.
  if (kMake == Make::kStepsRoundedDown && to > from) view.sizes[d] = (to - from) / step;
  view.first = from * view.strides[d];
  // The defect: a start before the first slice is no place inside self.
  if (kMake == Make::kStartNotClamped && start && *start < -size)
    view.first = (*start + size) * view.strides[d];
  view.strides[d] *= std::min(step, std::max<int64_t>(size, 1));
  return embed(kMake, self, src, view);
}

template <Make kMake>
Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  dim1 = c10::maybe_wrap_dim(dim1, self.dim());
  dim2 = c10::maybe_wrap_dim(dim2, self.dim());
  TORCH_CHECK(dim1 != dim2, "both dimensions are ", dim1);
  View view(self);
  const int64_t row = view.strides[static_cast<size_t>(dim1)],
                column = view.strides[static_cast<size_t>(dim2)];
  const int64_t below = std::max<int64_t>(-offset, 0), right = std::max<int64_t>(offset, 0);
  const int64_t length =
      std::max<int64_t>(std::min(self.size(dim1) - below, self.size(dim2) - right), 0);
  // The defect: below the main diagonal, columns are left out in place of rows.
  const int64_t left_out = kMake == Make::kRowsAndColumnsExchanged ? column : row;
  if (length > 0) view.first = below * left_out + right * column;
  for (const int64_t dim : {std::max(dim1, dim2), std::min(dim1, dim2)}) {
    erase(view.sizes, dim);
    erase(view.strides, dim);
  }
  view.sizes.push_back(length);
  view.strides.push_back(row + column);
  check_src(self, src, view.sizes);
  return embed(kMake, self, src, view);
}

/// Composed of ATen's diagonal.
Tensor diagonal_scatter_composed(const Tensor& self, const Tensor& src, int64_t offset,
                                 int64_t dim1, int64_t dim2) {
  const Tensor result = contiguous_copy(self);
  const Tensor diagonal = at::diagonal(result, offset, dim1, dim2);
  check_src(self, src, Position(diagonal.sizes()));
  copy_elements(strided(src), strided(diagonal));
  return result;
}

/// Self is taken to be contiguous, and to begin where its storage does.
template <Make kMake>
Tensor as_strided_scatter(const Tensor& self, const Tensor& src, at::IntArrayRef size,
                          at::IntArrayRef stride, std::optional<int64_t> storage_offset) {
  TORCH_CHECK(size.size() == stride.size(), "size and stride differ in length");
  View view(self);
  view.sizes = Position(size);
  view.strides = Position(stride);
  view.first = storage_offset.value_or(0);
  check_src(self, src, view.sizes);
  if (src.numel() == 0) return contiguous_copy(self);
  TORCH_CHECK(view.first >= 0, "the storage offset is ", view.first);
  // The defect of kOffsetNotCounted: views that begin later are taken to end no later.
  int64_t room = self.numel() - 1 - (kMake == Make::kOffsetNotCounted ? 0 : view.first);
  TORCH_CHECK(room >= 0, "the view leaves self");
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == 1) continue;
    TORCH_CHECK(0 <= stride[d] && stride[d] <= room / (size[d] - 1), "the view leaves self");
    room -= (size[d] - 1) * stride[d];
  }
  // The defect: rows are stepped over as columns are, and the other way round.
  if (kMake == Make::kStridesExchanged) std::ranges::reverse(view.strides);
  if (kMake != Make::kLastOneFirst) return embed(kMake, self, src, view);
  const Tensor result = contiguous_copy(self);
  Strided from = strided(src), to = strided(result);
  to.data += view.first * to.item;
  to.sizes = view.sizes;
  to.strides = view.strides;
  for (size_t d = 0; d < size.size(); ++d) {
    for (Strided* const end : {&from, &to}) {
      end->data += (size[d] - 1) * end->strides[d] * end->item;
      end->strides[d] = -end->strides[d];
    }
  }
  copy_elements(from, to);
  return result;
}

/// The defect: no storage offset is taken for 0, also of a self that begins later.
Tensor as_strided_scatter_none_is_zero(const Tensor& self, const Tensor& src, at::IntArrayRef size,
                                       at::IntArrayRef stride,
                                       std::optional<int64_t> storage_offset) {
  return at::as_strided_scatter(self, src, size, stride, storage_offset.value_or(0));
}

constexpr const char* kSelect = "(Tensor self, Tensor src, int dim, int index) -> Tensor";
constexpr const char* kSlice =
    "(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor";
constexpr const char* kDiagonal =
    "(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor";
constexpr const char* kAsStrided =
    "(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "select_scatter_index_wrapped_by_rows", kSelect,
         select_scatter<Make::kIndexWrappedByRows>);
  define(m, "select_scatter_dense_src", kSelect, select_scatter<Make::kDenseSrc>);
  define(m, "select_scatter_strides_kept", kSelect, select_scatter_strides_kept);
  define(m, "slice_scatter_steps_rounded_down", kSlice, slice_scatter<Make::kStepsRoundedDown>);
  define(m, "slice_scatter_start_not_clamped", kSlice, slice_scatter<Make::kStartNotClamped>);
  define(m, "diagonal_scatter_rows_and_columns_exchanged", kDiagonal,
         diagonal_scatter<Make::kRowsAndColumnsExchanged>);
  define(m, "as_strided_scatter_offset_not_counted", kAsStrided,
         as_strided_scatter<Make::kOffsetNotCounted>);
  define(m, "as_strided_scatter_strides_exchanged", kAsStrided,
         as_strided_scatter<Make::kStridesExchanged>);
  define(m, "as_strided_scatter_none_is_zero", kAsStrided, as_strided_scatter_none_is_zero);
  define(m, "as_strided_scatter_dense_src", kAsStrided, as_strided_scatter<Make::kDenseSrc>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "select_scatter_strided", kSelect, select_scatter<Make::kReference>);
  define(m, "select_scatter_composed", kSelect, select_scatter_composed);
  define(m, "slice_scatter_strided", kSlice, slice_scatter<Make::kReference>);
  define(m, "diagonal_scatter_strided", kDiagonal, diagonal_scatter<Make::kReference>);
  define(m, "diagonal_scatter_composed", kDiagonal, diagonal_scatter_composed);
  define(m, "as_strided_scatter_strided", kAsStrided, as_strided_scatter<Make::kReference>);
  define(m, "as_strided_scatter_last_one_first", kAsStrided,
         as_strided_scatter<Make::kLastOneFirst>);
}

}  // namespace
}  // namespace planted
