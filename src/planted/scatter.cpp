#include <ATen/Dispatch.h>

#include <unordered_set>

#include "scattered.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kSrcAtNumberOfIndex,
  kZeroByMemset,
  kFirstWins,  // correct: any of the duplicates may win
};

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
    // The defect: the number of the index element is decoded with the sizes of src.
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
  check_scattered(self, dim, index, src);
  const Tensor result = contiguous_copy(self);
  put_elements(kMake, result, dim, index, src);
  return result;
}

template <Make kMake>
Tensor& scatter_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  check_written(self, index, src);
  put_elements(kMake, self, dim, index, src);
  return self;
}

template <Make kMake>
Tensor& scatter_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                    Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  start_scattered_out(self, index, src, out);
  put_elements(kMake, out, dim, index, src);
  return out;
}

template <Make kMake>
Tensor scatter_value(const Tensor& self, int64_t dim, const Tensor& index,
                     const at::Scalar& value) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered_index(self, dim, index);
  const Tensor result = contiguous_copy(self);
  if (index.numel() == 0) return result;
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      at::kBool, at::kHalf, at::kBFloat16, self.scalar_type(), "scatter", [&] {
        const auto element = value.to<scalar_t>();
        each_named(result, dim, index, [&](const Position&, char* to) {
          // The defect: -0.0 equals 0, but has a bit set.
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
