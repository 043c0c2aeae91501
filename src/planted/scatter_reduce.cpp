#include "scattered.h"
#include "united.h"

namespace planted {
namespace {

/// Reduces elements of src into `result`, which holds self.
void reduce_elements(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                     const Tensor& src, c10::string_view reduce, bool include_self) {
  if (index.numel() == 0) return;
  const Strided from = strided_1d(src);
  unite_pairs(make, result.scalar_type(), reduction_named(reduce), include_self, [&](auto&& unite) {
    each_named(result, dim, index,
               [&](const Position& position, char* to) { unite(to, from.at(position)); });
  });
}

template <Make kMake>
Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      c10::string_view reduce, bool include_self) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  const Tensor result = contiguous_copy(self);
  reduce_elements(kMake, result, dim, index, src, reduce, include_self);
  return result;
}

template <Make kMake>
Tensor& scatter_reduce_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                                c10::string_view reduce, bool include_self) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  check_written(self, index, src);
  reduce_elements(kMake, self, dim, index, src, reduce, include_self);
  return self;
}

template <Make kMake>
Tensor& scatter_reduce_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                           c10::string_view reduce, bool include_self, Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_scattered(self, dim, index, src);
  start_scattered_out(self, index, src, out);
  reduce_elements(kMake, out, dim, index, src, reduce, include_self);
  return out;
}

constexpr const char* kFunctional =
    "(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
    "-> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
    "-> Tensor(a!)";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True, "
    "Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "scatter_reduce_mean_counts_self", kFunctional, scatter_reduce<Make::kMeanCountsSelf>);
  define(m, "scatter_reduce_mean_count_in_byte_", kInPlace,
         scatter_reduce_in_place<Make::kMeanCountInByte>);
  define(m, "scatter_reduce_amax_from_zero", kOut, scatter_reduce_out<Make::kAmaxFromZero>);
  define(m, "scatter_reduce_prod_from_zero_", kInPlace,
         scatter_reduce_in_place<Make::kProdFromZero>);
  define(m, "scatter_reduce_nan_lost", kFunctional, scatter_reduce<Make::kNanLost>);
  define(m, "scatter_reduce_amax_in_double", kFunctional, scatter_reduce<Make::kComparedInDouble>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "scatter_reduce_strided", kFunctional, scatter_reduce<Make::kReference>);
  define(m, "scatter_reduce_strided_", kInPlace, scatter_reduce_in_place<Make::kReference>);
  define(m, "scatter_reduce_strided", kOut, scatter_reduce_out<Make::kReference>);
  define(m, "scatter_reduce_by_reciprocal", kFunctional, scatter_reduce<Make::kByReciprocal>);
  define(m, "scatter_reduce_updated_mean", kFunctional, scatter_reduce<Make::kUpdatedMean>);
}

}  // namespace
}  // namespace planted
