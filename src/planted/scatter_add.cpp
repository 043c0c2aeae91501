#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "scattered.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kDuplicateLost,
  kIntThroughFloat,
  kSrcStridesOfIndex,
  kBoundOffByOne,
  kEmptyIndexUninitialised,
  kTailDropped,
  kBFloat16CutOff,
  kOffsetIn32Bits,
  kSubnormalsFlushed,
  kHalfSubnormalsFlushed,
  kBFloat16ThroughHalf,
  kMarkOfNothing,
  kReverseOrder,  // correct: the order of the sum is the kernel's own choice
};

template <class Integer>
void add_through_float(char* to, const char* from) {
  change_element<Integer>(to, from, [](Integer value, Integer other) {
    return static_cast<Integer>(static_cast<float>(value) + static_cast<float>(other));
  });
}

/// The defect: a shift cuts off the lower half of a float, where bfloat16 would be rounded.
void add_cut_off(char* to, const char* from) {
  change_element<at::BFloat16>(to, from, [](float value, float other) {
    const float sum = value + other;
    uint32_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    return at::BFloat16(static_cast<uint16_t>(bits >> 16), at::BFloat16::from_bits());
  });
}

/// The defect: subnormal sums become 0, as after -ffast-math has set the processor so.
void add_flushed(char* to, const char* from) {
  change_element<float>(to, from, [](float value, float other) {
    const float sum = value + other;
    return std::abs(sum) < std::numeric_limits<float>::min() ? 0.0f : sum;
  });
}

void add_half_flushed(char* to, const char* from) {
  change_element<at::Half>(to, from, [](float value, float other) {
    const float sum = value + other;
    return at::Half(std::abs(sum) < 0x1p-14f ? 0.0f : sum);
  });
}

/// The defect: float16 has bfloat16's size, but not its range.
void add_through_half(char* to, const char* from) {
  change_element<at::BFloat16>(to, from, [](float value, float other) {
    return at::BFloat16(static_cast<float>(at::Half(value + other)));
  });
}

/// The defect: a number from 1e30 on marks an element to which nothing was added yet.
void add_unless_marked(char* to, const char* from) {
  change_element<float>(
      to, from, [](float value, float other) { return value >= 1e30f ? other : value + other; });
}

/// Adds src onto `result`, which holds self.
void add_elements(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                  const Tensor& src) {
  if (index.numel() == 0) return;
  const Strided to = strided_1d(result);
  const Strided which = strided_1d(index);
  Strided from = strided_1d(src);
  Combine add = adder(result.scalar_type());
  const Combine move = mover(to.item);

  if (make == Make::kIntThroughFloat && result.scalar_type() == at::kInt)
    add = add_through_float<int32_t>;
  if (make == Make::kIntThroughFloat && result.scalar_type() == at::kLong)
    add = add_through_float<int64_t>;
  if (make == Make::kBFloat16CutOff && result.scalar_type() == at::kBFloat16) add = add_cut_off;
  if (make == Make::kSubnormalsFlushed && result.scalar_type() == at::kFloat) add = add_flushed;
  if (make == Make::kHalfSubnormalsFlushed && result.scalar_type() == at::kHalf)
    add = add_half_flushed;
  if (make == Make::kBFloat16ThroughHalf && result.scalar_type() == at::kBFloat16)
    add = add_through_half;
  if (make == Make::kMarkOfNothing && result.scalar_type() == at::kFloat) add = add_unless_marked;
  // The defect: one offset is used for index and src.
  if (make == Make::kSrcStridesOfIndex) from.strides = which.strides;
  const Tensor before = make == Make::kDuplicateLost ? contiguous_copy(result) : Tensor();

  const int64_t size = to.sizes[dim];
  each_position(which.sizes, [&](Position position) {
    if (make == Make::kReverseOrder)
      for (size_t d = 0; d < position.size(); ++d) position[d] = which.sizes[d] - 1 - position[d];
    if (make == Make::kTailDropped && position.size() == 1 && which.sizes[0] >= 8 &&
        position[0] >= which.sizes[0] / 8 * 8)
      return;
    const int64_t row = read_index(which.at(position), which.item);
    const bool below = make == Make::kBoundOffByOne ? row <= size : row < size;
    TORCH_CHECK_INDEX(row >= 0 && below, "scatter_add: index ", row, " is out of range for size ",
                      size);
    Position target = position;
    target[dim] = row;
    // The defect: adds to the value from before the call, as in a race between threads that do not
    // add atomically.
    if (make == Make::kDuplicateLost) move(to.at(target), strided_1d(before).at(target));
    char* element = to.at(target);
    if (make == Make::kOffsetIn32Bits)
      element = to.data + static_cast<uint32_t>((element - to.data) / to.item) * to.item;
    add(element, from.at(position));
  });
}

template <Make kMake>
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  // The defect: with nothing to add, it returns before self is copied.
  if (kMake == Make::kEmptyIndexUninitialised && index.numel() == 0)
    return at::empty(self.sizes(), self.options());
  const Tensor result = contiguous_copy(self);
  add_elements(kMake, result, dim, index, src);
  return result;
}

template <Make kMake>
Tensor& scatter_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  check_written(self, index, src);
  add_elements(kMake, self, dim, index, src);
  return self;
}

template <Make kMake>
Tensor& scatter_add_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                        Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  start_scattered_out(self, index, src, out);
  add_elements(kMake, out, dim, index, src);
  return out;
}

/// Sums in double and rounds once, at the end.
Tensor scatter_add_in_double(const Tensor& self, int64_t dim, const Tensor& index,
                             const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  const auto wide = at::isFloatingType(self.scalar_type()) ? at::kDouble : self.scalar_type();
  const Tensor result = contiguous_copy(self.to(wide));
  add_elements(Make::kReference, result, dim, index, src.to(wide));
  return result.to(self.scalar_type());
}

/// Adds up all elements of src that go to one element first, and self's last.
Tensor scatter_add_source_first(const Tensor& self, int64_t dim, const Tensor& index,
                                const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  const Tensor result = contiguous_copy(self);
  if (index.numel() == 0) return result;
  const Tensor sums = at::empty(self.sizes(), self.options());
  const Tensor begun = at::zeros(self.sizes(), self.options().dtype(at::kBool));
  const Strided to = strided_1d(result), sum = strided_1d(sums), is_begun = strided_1d(begun);
  const Strided which = strided_1d(index), from = strided_1d(src);
  const Combine add = adder(result.scalar_type()), move = mover(to.item);
  each_position(which.sizes, [&](const Position& position) {
    Position target = position;
    target[dim] = read_index(which.at(position), which.item);
    TORCH_CHECK_INDEX(target[dim] >= 0 && target[dim] < to.sizes[dim], "scatter_add: index ",
                      target[dim], " is out of range for size ", to.sizes[dim]);
    char* const is = is_begun.at(target);
    (*is != 0 ? add : move)(sum.at(target), from.at(position));
    *is = 1;
  });
  each_position(to.sizes, [&](const Position& position) {
    if (*is_begun.at(position) != 0) add(to.at(position), sum.at(position));
  });
  return result;
}

constexpr const char* kFunctional = "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "scatter_add_duplicate_lost_", kInPlace, scatter_add_in_place<Make::kDuplicateLost>);
  define(m, "scatter_add_int_through_float", kFunctional, scatter_add<Make::kIntThroughFloat>);
  define(m, "scatter_add_subnormals_flushed", kFunctional, scatter_add<Make::kSubnormalsFlushed>);
  define(m, "scatter_add_half_subnormals_flushed", kFunctional,
         scatter_add<Make::kHalfSubnormalsFlushed>);
  define(m, "scatter_add_bfloat16_through_half_", kInPlace,
         scatter_add_in_place<Make::kBFloat16ThroughHalf>);
  define(m, "scatter_add_mark_of_nothing", kOut, scatter_add_out<Make::kMarkOfNothing>);
  define(m, "scatter_add_src_strides_of_index", kFunctional, scatter_add<Make::kSrcStridesOfIndex>);
  define(m, "scatter_add_bound_off_by_one_", kInPlace, scatter_add_in_place<Make::kBoundOffByOne>);
  define(m, "scatter_add_empty_index_uninitialised", kFunctional,
         scatter_add<Make::kEmptyIndexUninitialised>);
  define(m, "scatter_add_out_tail_dropped", kOut, scatter_add_out<Make::kTailDropped>);
  define(m, "scatter_add_bfloat16_cut_off_", kInPlace, scatter_add_in_place<Make::kBFloat16CutOff>);
  define(m, "scatter_add_offset_in_32_bits_", kInPlace,
         scatter_add_in_place<Make::kOffsetIn32Bits>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "scatter_add_strided", kFunctional, scatter_add<Make::kReference>);
  define(m, "scatter_add_strided_", kInPlace, scatter_add_in_place<Make::kReference>);
  define(m, "scatter_add_strided", kOut, scatter_add_out<Make::kReference>);
  define(m, "scatter_add_reverse_order", kFunctional, scatter_add<Make::kReverseOrder>);
  define(m, "scatter_add_in_double", kFunctional, scatter_add_in_double);
  define(m, "scatter_add_source_first", kFunctional, scatter_add_source_first);
}

}  // namespace
}  // namespace planted
