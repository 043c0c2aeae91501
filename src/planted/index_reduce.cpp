#include "named_slices.h"
#include "united.h"

namespace planted {
namespace {

/// Reduces the slices of source into `result`, which holds self.
void reduce_slices(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                   const Tensor& source, c10::string_view reduce, bool include_self) {
  check_index_dtype(index);
  TORCH_CHECK(result.dim() == source.dim(), "index_reduce: self and source differ in rank");
  const Reduction reduction = reduction_named(reduce);
  TORCH_CHECK(reduction != Reduction::kSum, "index_reduce: a sum is index_add's");
  const Strided to = strided_1d(result);
  Strided from = strided_1d(source);
  const Position rows = read_rows(index, to.sizes[dim], 0);
  if (make == Make::kSourceContiguous) from.strides = contiguous_strides(from.sizes);
  unite_pairs(make, result.scalar_type(), reduction, include_self, [&](auto&& unite) {
    each_position(from.sizes, [&](Position position) {
      const char* element = from.at(position);
      position[dim] = rows[position[dim]];
      unite(to.at(position), element);
    });
  });
}

template <Make kMake>
Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    c10::string_view reduce, bool include_self) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  const Tensor result = contiguous_copy(self);
  reduce_slices(kMake, result, dim, index, source, reduce, include_self);
  return result;
}

template <Make kMake>
Tensor& index_reduce_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                              c10::string_view reduce, bool include_self) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  check_written(self, index, source);
  reduce_slices(kMake, self, dim, index, source, reduce, include_self);
  return self;
}

template <Make kMake>
Tensor& index_reduce_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                         c10::string_view reduce, bool include_self, Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_source(self, dim, index, source);
  start_out(self, index, source, out);
  reduce_slices(kMake, out, dim, index, source, reduce, include_self);
  return out;
}

constexpr const char* kFunctional =
    "(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) "
    "-> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, "
    "bool include_self=True) -> Tensor(a!)";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, "
    "bool include_self=True, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_reduce_prod_once_per_index_", kInPlace,
         index_reduce_in_place<Make::kProdOncePerIndex>);
  define(m, "index_reduce_source_contiguous", kFunctional, index_reduce<Make::kSourceContiguous>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_reduce_strided", kFunctional, index_reduce<Make::kReference>);
  define(m, "index_reduce_strided_", kInPlace, index_reduce_in_place<Make::kReference>);
  define(m, "index_reduce_strided", kOut, index_reduce_out<Make::kReference>);
}

}  // namespace
}  // namespace planted
