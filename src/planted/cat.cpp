// Kernels of cat and stack.

#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty_strided.h>

#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kDenseEntries,
  kFourEntries,
  kDtypeOfTheFirst,
  kStridesOfTheFirst,
  kDimOfEntries,
  kSizesByProduct,
  kColumnMajor,  // correct: the strides of a fresh result are the kernel's own choice
};

bool counts(const Tensor& entry) {
  return entry.dim() != 1 || entry.size(0) != 0;
}

/// The entries that count, or the first one if none does.
std::vector<Tensor> counting(at::TensorList tensors) {
  std::vector<Tensor> those;
  for (const Tensor& entry : tensors)
    if (counts(entry)) those.push_back(entry);
  if (those.empty()) those.push_back(tensors[0]);
  return those;
}

/// The sizes of the result; refuses entries that do not fit together.
Position joined(Make make, const std::vector<Tensor>& entries, int64_t dim) {
  Position sizes(entries[0].sizes());
  TORCH_CHECK(!sizes.empty(), "cat: a tensor of rank 0");
  sizes[static_cast<size_t>(dim)] = 0;
  const auto around = [&](const Tensor& entry) {
    return entry.numel() / std::max<int64_t>(entry.size(dim), 1);
  };
  for (const Tensor& entry : entries) {
    TORCH_CHECK(entry.dim() == entries[0].dim(), "cat: tensors of several ranks");
    // The defect: only the product of the sizes beside dim is looked at.
    const bool is_alike =
        make == Make::kSizesByProduct && entry.numel() > 0 && around(entry) == around(entries[0]);
    for (int64_t d = 0; d < entry.dim() && !is_alike; ++d)
      TORCH_CHECK(d == dim || entry.size(d) == entries[0].size(d), "cat: size ", entry.size(d),
                  " of dimension ", d, " beside ", entries[0].size(d));
    sizes[static_cast<size_t>(dim)] += entry.size(dim);
  }
  return sizes;
}

at::ScalarType dtype_of(Make make, at::TensorList tensors) {
  return make == Make::kDtypeOfTheFirst ? tensors[0].scalar_type()
                                        : at::native::result_type(tensors);
}

/// Copies the entries, the last one first, into what has their joined sizes.
void write(Make make, const std::vector<Tensor>& entries, int64_t dim, Strided to,
           at::ScalarType dtype) {
  const auto d = static_cast<size_t>(dim);
  const Combine move = mover(to.item);
  const auto first_strides = entries[0].strides();
  int64_t end = to.sizes[d];
  int64_t filled = 0;
  for (const Tensor& entry : entries) filled += entry.numel() > 0;
  for (size_t k = entries.size(); k-- > 0;) {
    if (entries[k].numel() == 0) continue;
    Tensor converted = entries[k].to(dtype);
    if (make == Make::kSizesByProduct) {
      Position shape = to.sizes;
      shape[d] = converted.size(dim);
      converted = converted.reshape(shape);
    }
    Strided from = strided(converted);
    end -= from.sizes[d];
    // The defect: only as many pointers as one block of parameters holds.
    if (make == Make::kFourEntries && filled-- > 4) continue;
    // The defect: dense in memory is taken for dense in row-major order.
    if (make == Make::kDenseEntries && converted.is_non_overlapping_and_dense())
      from.strides = contiguous_strides(from.sizes);
    // The defect: all entries are taken to have the strides of the first.
    if (make == Make::kStridesOfTheFirst) from.strides = Position(first_strides);
    each_position(from.sizes, [&](Position position) {
      const char* const source = from.at(position);
      position[d] += end;
      move(to.at(position), source);
    });
  }
}

/// Strides with the first dimension innermost.
Position column_major_strides(const Position& sizes) {
  Position strides(sizes.size(), 1);
  for (size_t d = 1; d < sizes.size(); ++d)
    strides[d] = strides[d - 1] * std::max<int64_t>(sizes[d - 1], 1);
  return strides;
}

/// The entries one after the other along a dimension of theirs.
Tensor join(Make make, const std::vector<Tensor>& entries, int64_t dim, at::ScalarType dtype) {
  const Position sizes = joined(make, entries, dim);
  const Position strides =
      make == Make::kColumnMajor ? column_major_strides(sizes) : contiguous_strides(sizes);
  const Tensor result = at::empty_strided(sizes, strides, entries[0].options().dtype(dtype));
  if (make == Make::kFourEntries) result.zero_();
  write(make, entries, dim, strided(result), dtype);
  return result;
}

template <Make kMake>
Tensor cat(at::TensorList tensors, int64_t dim) {
  const std::vector<Tensor> entries = counting(tensors);
  return join(kMake, entries, c10::maybe_wrap_dim(dim, entries[0].dim()), dtype_of(kMake, tensors));
}

/// The tensors with a dimension of size 1 at `dim`; refuses tensors of several shapes.
std::vector<Tensor> with_dimension(at::TensorList tensors, int64_t dim) {
  std::vector<Tensor> entries;
  for (const Tensor& entry : tensors) {
    TORCH_CHECK(entry.sizes() == tensors[0].sizes(), "stack: tensors of several shapes");
    entries.push_back(entry.unsqueeze(dim));
  }
  return entries;
}

template <Make kMake>
Tensor stack(at::TensorList tensors, int64_t dim) {
  const int64_t rank = tensors[0].dim();
  const int64_t wrapped = c10::maybe_wrap_dim(dim, rank + 1);
  // The defect: a dim below 0 counts from the last dimension of the entries.
  const bool is_early = kMake == Make::kDimOfEntries && dim < 0 && wrapped > 0;
  const int64_t at = is_early ? wrapped - 1 : wrapped;
  return join(kMake, with_dimension(tensors, at), at, dtype_of(kMake, tensors));
}

Tensor& stack_dense_out(at::TensorList tensors, int64_t dim, Tensor& out) {
  const int64_t at = c10::maybe_wrap_dim(dim, tensors[0].dim() + 1);
  const std::vector<Tensor> entries = with_dimension(tensors, at);
  const at::ScalarType dtype = dtype_of(Make::kReference, tensors);
  TORCH_CHECK(at::canCast(dtype, out.scalar_type()), "a result of ", dtype,
              " cannot be written to an out of ", out.scalar_type());
  at::assert_no_internal_overlap(out);
  for (const Tensor& entry : tensors) at::assert_no_overlap(out, entry);
  at::native::resize_output(out, joined(Make::kReference, entries, at));
  // The defect: out has strides of its own.
  Strided to = strided(out);
  to.strides = contiguous_strides(to.sizes);
  write(Make::kReference, entries, at, to, out.scalar_type());
  return out;
}

constexpr const char* kFunctional = "(Tensor[] tensors, int dim=0) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "cat_dense_entries", kFunctional, cat<Make::kDenseEntries>);
  define(m, "cat_sizes_by_product", kFunctional, cat<Make::kSizesByProduct>);
  define(m, "cat_four_entries", kFunctional, cat<Make::kFourEntries>);
  define(m, "cat_dtype_of_the_first", kFunctional, cat<Make::kDtypeOfTheFirst>);
  define(m, "cat_strides_of_the_first", kFunctional, cat<Make::kStridesOfTheFirst>);
  define(m, "stack_dim_of_entries", kFunctional, stack<Make::kDimOfEntries>);
  define(m, "stack_dense_out", "(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)",
         stack_dense_out);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "cat_backwards", kFunctional, cat<Make::kReference>);
  define(m, "cat_column_major", kFunctional, cat<Make::kColumnMajor>);
  define(m, "stack_backwards", kFunctional, stack<Make::kReference>);
}

}  // namespace
}  // namespace planted
