#include <ATen/Dispatch.h>

#include <unordered_set>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kSrcAtNumberOfIndex,
  kZeroByMemset,
  kFirstWins,  // correct: any of the duplicates may win
};

void check_index(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.numel() == 0) return;
  check_index_dtype(index);
  const Strided to = strided_1d(self), which = strided_1d(index);
  TORCH_CHECK(which.sizes.size() == to.sizes.size(), "scatter: self and index differ in rank");
  for (size_t d = 0; d < which.sizes.size(); ++d)
    TORCH_CHECK(static_cast<int64_t>(d) == dim || which.sizes[d] <= to.sizes[d],
                "scatter: index of shape ", index.sizes(), " is larger than self of shape ",
                self.sizes(), " apart from dimension ", dim);
}

void check_src(const Tensor& self, const Tensor& index, const Tensor& src) {
  TORCH_CHECK(self.scalar_type() == src.scalar_type(), "scatter: self is ", self.scalar_type(),
              ", src ", src.scalar_type());
  if (index.numel() == 0) return;
  const Strided which = strided_1d(index), from = strided_1d(src);
  TORCH_CHECK(which.sizes.size() == from.sizes.size(), "scatter: index and src differ in rank");
  for (size_t d = 0; d < which.sizes.size(); ++d)
    TORCH_CHECK(which.sizes[d] <= from.sizes[d], "scatter: index of shape ", index.sizes(),
                " is larger than src of shape ", src.sizes());
}

/// Calls visit(position in the index, element of result), checking every index.
template <class Visit>
void each_named(const Tensor& result, int64_t dim, const Tensor& index, Visit&& visit) {
  const Strided to = strided_1d(result), which = strided_1d(index);
  each_position(which.sizes, [&](const Position& position) {
    Position target = position;
    target[dim] = read_index(which.at(position), which.item);
    TORCH_CHECK_INDEX(target[dim] >= 0 && target[dim] < to.sizes[dim], "scatter: index ",
                      target[dim], " is out of range for size ", to.sizes[dim]);
    visit(position, to.at(target));
  });
}

/// Writes src into `result`, which holds self.
void put_elements(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                  const Tensor& src) {
  if (index.numel() == 0) return;
  const Strided from = strided_1d(src);
  const Combine move = mover(from.item);
  int64_t number = 0;
  std::unordered_set<char*> written;
  each_named(result, dim, index, [&](const Position& position, char* to) {
    Position at = position;
    // The number of the index element is taken apart with the sizes of src.
    if (make == Make::kSrcAtNumberOfIndex) {
      int64_t rest = number++;
      for (size_t d = at.size(); d-- > 0; rest /= from.sizes[d]) at[d] = rest % from.sizes[d];
    }
    if (make == Make::kFirstWins && !written.insert(to).second) return;
    move(to, from.at(at));
  });
}

template <Make kMake>
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_index(self, dim, index);
  check_src(self, index, src);
  const Tensor result = contiguous_copy(self);
  put_elements(kMake, result, dim, index, src);
  return result;
}

template <Make kMake>
Tensor& scatter_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_index(self, dim, index);
  check_src(self, index, src);
  at::assert_no_internal_overlap(self);
  at::assert_no_overlap(self, index);
  at::assert_no_overlap(self, src);
  put_elements(kMake, self, dim, index, src);
  return self;
}

template <Make kMake>
Tensor& scatter_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                    Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_index(self, dim, index);
  check_src(self, index, src);
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "scatter: self is ", self.scalar_type(),
              ", out ", out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, index);
  at::assert_no_overlap(out, src);
  at::native::resize_output(out, self.sizes());
  at::assert_no_partial_overlap(out, self);
  copy_elements(strided(self), strided(out));
  put_elements(kMake, out, dim, index, src);
  return out;
}

template <Make kMake>
Tensor scatter_value(const Tensor& self, int64_t dim, const Tensor& index,
                     const at::Scalar& value) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_index(self, dim, index);
  const Tensor result = contiguous_copy(self);
  if (index.numel() == 0) return result;
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      at::kBool, at::kHalf, at::kBFloat16, self.scalar_type(), "scatter", [&] {
        const auto element = value.to<scalar_t>();
        each_named(result, dim, index, [&](const Position&, char* to) {
          // -0.0 is a zero too, and has a bit set.
          if (kMake == Make::kZeroByMemset && element == scalar_t(0))
            std::memset(to, 0, sizeof element);
          else
            std::memcpy(to, &element, sizeof element);
        });
      });
  return result;
}

constexpr const char* kFunctional = "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)";
constexpr const char* kValue = "(Tensor self, int dim, Tensor index, Scalar value) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "scatter_src_at_number_of_index_", kInPlace,
         scatter_in_place<Make::kSrcAtNumberOfIndex>);
  define(m, "scatter_value_zero_by_memset", kValue, scatter_value<Make::kZeroByMemset>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "scatter_strided_", kInPlace, scatter_in_place<Make::kReference>);
  define(m, "scatter_strided", kOut, scatter_out<Make::kReference>);
  define(m, "scatter_first_wins", kFunctional, scatter<Make::kFirstWins>);
  define(m, "scatter_value_strided", kValue, scatter_value<Make::kReference>);
}

}  // namespace
}  // namespace planted
