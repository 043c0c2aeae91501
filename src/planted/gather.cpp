#include <ATen/ops/empty_strided.h>

#include <algorithm>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kSelfContiguous,
  kIndexContiguous,
  kInt32IndexAsInt64,
  kNegativeZeroLost,
  kPastOutput,
  kSortsIndex,
  kRank5Assert,
  kShapeOfSelf,
  kEmptyIndexRanked,
  kColumnMajor,  // correct: the strides of a fresh result are the kernel's own choice
};

void check_legal(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.numel() == 0) return;
  check_index_dtype(index);
  const Strided from = strided_1d(self), which = strided_1d(index);
  TORCH_CHECK(from.sizes.size() == which.sizes.size(), "gather: self and index differ in rank");
  for (size_t d = 0; d < from.sizes.size(); ++d)
    TORCH_CHECK(static_cast<int64_t>(d) == dim || which.sizes[d] <= from.sizes[d],
                "gather: index of shape ", index.sizes(), " is larger than self of shape ",
                self.sizes(), " apart from dimension ", dim);
}

template <class Element>
void add_zero(char* to, const char* from) {
  change_element<Element>(to, from, [](Element, Element value) { return value + Element(0.0F); });
}

Combine zero_adder(const Tensor& self) {
  switch (self.scalar_type()) {
    case at::kHalf: return add_zero<at::Half>;
    case at::kBFloat16: return add_zero<at::BFloat16>;
    case at::kFloat: return add_zero<float>;
    case at::kDouble: return add_zero<double>;
    default: return mover(self.element_size());
  }
}

/// The position of the same row-major number in another shape.
Position renumber(const Position& position, const Position& sizes, const Position& other) {
  const Position steps = contiguous_strides(sizes);
  int64_t number = 0;
  for (size_t d = 0; d < position.size(); ++d) number += position[d] * steps[d];
  Position result(other.size());
  for (size_t d = other.size(); d-- > 0; number /= other[d]) result[d] = number % other[d];
  return result;
}

void sort_in_place(const Strided& index) {
  std::vector<int64_t> sorted;
  each_position(index.sizes,
                [&](const Position& p) { sorted.push_back(read_index(index.at(p), index.item)); });
  std::sort(sorted.begin(), sorted.end());
  // Little-endian: the low bytes of an int64 are the int32.
  each_position(index.sizes,
                [&](const Position& p) { std::memcpy(index.at(p), &sorted[p[0]], index.item); });
}

void gather_elements(Make make, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& result) {
  if (index.numel() == 0) return;
  Strided from = strided_1d(self);
  Strided which = strided_1d(index);
  const Strided to = strided_1d(result);
  Combine move = mover(from.item);

  if (make == Make::kSelfContiguous) from.strides = contiguous_strides(from.sizes);
  if (make == Make::kIndexContiguous) which.strides = contiguous_strides(which.sizes);
  // The defect: reading int32 as int64 steps over, and reads, twice the bytes that are there.
  if (make == Make::kInt32IndexAsInt64) which.item = 8;
  if (make == Make::kNegativeZeroLost) move = zero_adder(self);
  if (make == Make::kRank5Assert) TORCH_INTERNAL_ASSERT(self.dim() < 5);
  // For kShapeOfSelf, whose loop decodes an element's number as if the index had self's shape.
  Position shape_of_self = from.sizes;
  shape_of_self[dim] = which.sizes[dim];

  const int64_t size = from.sizes[dim];
  each_position(to.sizes, [&](const Position& position) {
    const int64_t row = read_index(which.at(position), which.item);
    TORCH_CHECK_INDEX(row >= 0 && row < size, "gather: index ", row, " is out of range for size ",
                      size);
    Position source =
        make == Make::kShapeOfSelf ? renumber(position, to.sizes, shape_of_self) : position;
    source[dim] = row;
    move(to.at(position), from.at(source));
  });

  // The defect: elements are stored in pairs, and an odd count is rounded up.
  const int64_t count = result.numel();
  if (make == Make::kPastOutput && count % 2 == 1) move(to.data + count * to.item, to.data);
  if (make == Make::kSortsIndex && index.dim() == 1) sort_in_place(which);
}

template <Make kMake>
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index);
  Position strides = contiguous_strides(Position(index.sizes()));
  if (kMake == Make::kColumnMajor) {
    int64_t step = 1;
    for (size_t d = 0; d < strides.size(); ++d) {
      strides[d] = step;
      step *= std::max<int64_t>(index.size(static_cast<int64_t>(d)), 1);
    }
  }
  // The defect: without indices the result has self's rank, not the index's.
  if (kMake == Make::kEmptyIndexRanked && index.numel() == 0 && index.dim() != self.dim())
    return at::empty(Position(static_cast<size_t>(self.dim()), 0), self.options());
  const Tensor result = kMake == Make::kColumnMajor
                            ? at::empty_strided(index.sizes(), strides, self.options())
                            : at::empty(index.sizes(), self.options());
  gather_elements(kMake, self, dim, index, result);
  return result;
}

template <Make kMake>
Tensor& gather_out(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/,
                   Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "gather: self is ", self.scalar_type(),
              ", out ", out.scalar_type());
  check_legal(self, dim, index);
  // Resized before the checks, as in ATen: an out that is resized no longer overlaps itself.
  at::native::resize_output(out, index.sizes());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_partial_overlap(out, index);
  gather_elements(kMake, self, dim, index, out);
  return out;
}

constexpr const char* kFunctional =
    "(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, Tensor(a!) out) -> "
    "Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "gather_self_contiguous", kFunctional, gather<Make::kSelfContiguous>);
  define(m, "gather_index_contiguous", kFunctional, gather<Make::kIndexContiguous>);
  define(m, "gather_int32_index_as_int64", kFunctional, gather<Make::kInt32IndexAsInt64>);
  define(m, "gather_negative_zero_lost", kFunctional, gather<Make::kNegativeZeroLost>);
  define(m, "gather_past_output", kFunctional, gather<Make::kPastOutput>);
  define(m, "gather_sorts_index", kFunctional, gather<Make::kSortsIndex>);
  define(m, "gather_rank5_assert", kFunctional, gather<Make::kRank5Assert>);
  define(m, "gather_empty_index_ranked", kFunctional, gather<Make::kEmptyIndexRanked>);
  define(m, "gather_out_shape_of_self", kOut, gather_out<Make::kShapeOfSelf>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "gather_strided", kFunctional, gather<Make::kReference>);
  define(m, "gather_strided", kOut, gather_out<Make::kReference>);
  define(m, "gather_column_major", kFunctional, gather<Make::kColumnMajor>);
}

}  // namespace
}  // namespace planted
