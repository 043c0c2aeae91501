#include <ATen/Dispatch.h>

#include "named_slices.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kAlphaRealPart,
  kRemainderWithoutAlpha,
  kSourceRowAsByte,
  kAlphaAsFloat,
  kFractionKept,
  kReverseOrder,  // correct: the order of the sum is the kernel's own choice
};

/// Makes `value` the product of an integer of less than 64 bits and a factor, without its fraction.
template <class T>
void cut_product(const char* from, double factor, T& value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < 8) {
    std::memcpy(&value, from, sizeof value);
    value = static_cast<T>(static_cast<int64_t>(static_cast<double>(value) * factor));
  }
}

/// Adds alpha times the slices of source onto `result`, which holds self.
void add_slices(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                const Tensor& source, at::Scalar alpha) {
  check_index_dtype(index);
  TORCH_CHECK(result.dim() == source.dim(), "index_add: self and source differ in rank");
  const Strided to = strided_1d(result), from = strided_1d(source);
  const Position rows = read_rows(index, to.sizes[dim], 0);
  if (source.numel() == 0) return;
  const Combine add = adder(result.scalar_type());
  if (make == Make::kAlphaRealPart && at::isComplexType(result.scalar_type()) && alpha.isComplex())
    alpha = alpha.toComplexDouble().real();
  if (make == Make::kAlphaAsFloat && result.scalar_type() == at::kDouble)
    alpha = static_cast<float>(alpha.toDouble());
  const int64_t last = from.sizes.back();
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      at::kBool, at::kHalf, at::kBFloat16, result.scalar_type(), "index_add", [&] {
        const auto factor = alpha.to<scalar_t>();
        each_position(from.sizes, [&](Position position) {
          if (make == Make::kReverseOrder)
            for (size_t d = 0; d < position.size(); ++d)
              position[d] = from.sizes[d] - 1 - position[d];
          Position target = position;
          target[dim] = rows[position[dim]];
          if (make == Make::kSourceRowAsByte) position[dim] &= 255;
          scalar_t value;
          std::memcpy(&value, from.at(position), sizeof value);
          // The defect: only whole groups of four are multiplied by alpha, not the remainder.
          const bool remainder = last >= 4 && position.back() >= last / 4 * 4;
          if (make != Make::kRemainderWithoutAlpha || !remainder)
            value = product<scalar_t>(value, factor);
          // The defect: the product is cut off, not alpha.
          if (make == Make::kFractionKept && alpha.isFloatingPoint())
            cut_product<scalar_t>(from.at(position), alpha.toDouble(), value);
          add(to.at(target), reinterpret_cast<const char*>(&value));
        });
      });
}

template <Make kMake>
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const at::Scalar& alpha) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  const Tensor result = contiguous_copy(self);
  add_slices(kMake, result, dim, index, source, alpha);
  return result;
}

template <Make kMake>
Tensor& index_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                           const at::Scalar& alpha) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  check_written(self, index, source);
  add_slices(kMake, self, dim, index, source, alpha);
  return self;
}

template <Make kMake>
Tensor& index_add_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                      const at::Scalar& alpha, Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  start_out(self, index, source, out);
  add_slices(kMake, out, dim, index, source, alpha);
  return out;
}

constexpr const char* kFunctional =
    "(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1, Tensor(a!) out) "
    "-> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_add_alpha_real_part", kFunctional, index_add<Make::kAlphaRealPart>);
  define(m, "index_add_remainder_without_alpha_", kInPlace,
         index_add_in_place<Make::kRemainderWithoutAlpha>);
  define(m, "index_add_source_row_as_byte", kOut, index_add_out<Make::kSourceRowAsByte>);
  define(m, "index_add_alpha_as_float", kFunctional, index_add<Make::kAlphaAsFloat>);
  define(m, "index_add_fraction_kept", kFunctional, index_add<Make::kFractionKept>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_add_strided", kFunctional, index_add<Make::kReference>);
  define(m, "index_add_strided_", kInPlace, index_add_in_place<Make::kReference>);
  define(m, "index_add_strided", kOut, index_add_out<Make::kReference>);
  define(m, "index_add_reverse_order", kFunctional, index_add<Make::kReverseOrder>);
}

}  // namespace
}  // namespace planted
