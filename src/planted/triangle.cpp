#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kDiagonalOf32Bits,
  kDiagonalNegated,
  kFirstBatchDimension,
  kUpToTheLastColumn,
  kWholeVectors,
  kResultKeepsWhatIsThere,
};
enum class Keep { kLower, kUpper };

bool keeps(Keep keep, int64_t beyond, int64_t diagonal) {
  return keep == Keep::kLower ? beyond <= diagonal : beyond >= diagonal;
}

void check_legal(const Tensor& self) {
  TORCH_CHECK(self.dim() >= 2, "a triangle needs a matrix, got ", self.dim(), " dimensions");
}

void write_triangle(Make make, Keep keep, const Tensor& self, int64_t diagonal,
                    const Tensor& result) {
  const Strided from = strided(self), to = strided(result);
  const size_t rank = to.sizes.size();
  if (make == Make::kDiagonalOf32Bits) diagonal = static_cast<int32_t>(diagonal);
  const auto negated = static_cast<int64_t>(0 - static_cast<uint64_t>(diagonal));
  each_position(to.sizes, [&](const Position& position) {
    const int64_t row = position[rank - 2];
    int64_t column = position[rank - 1];
    // The defect: rows below the square part of the matrix are left as they are.
    if (make == Make::kUpToTheLastColumn && row >= to.sizes[rank - 1]) return;
    // The defect: eight columns follow what the first of them does.
    if (make == Make::kWholeVectors && to.sizes[rank - 1] >= 16) column -= column % 8;
    // The defect: matrices are numbered by the first batch dimension only.
    Position source = position;
    if (make == Make::kFirstBatchDimension)
      for (size_t d = 1; d + 2 < rank; ++d) source[d] = 0;
    char* const element = to.at(position);
    // The defect: the least number is its own negative.
    const bool is_kept = make == Make::kDiagonalNegated ? row - column >= negated
                                                        : keeps(keep, column - row, diagonal);
    if (is_kept)
      std::memmove(element, from.at(source), static_cast<size_t>(from.item));
    else if (make != Make::kResultKeepsWhatIsThere)
      std::memset(element, 0, static_cast<size_t>(from.item));
  });
}

template <Make kMake, Keep kKeep>
Tensor triangle(const Tensor& self, int64_t diagonal) {
  check_legal(self);
  const Tensor result = at::empty(self.sizes(), self.options());
  write_triangle(kMake, kKeep, self, diagonal, result);
  return result;
}

template <Make kMake, Keep kKeep>
Tensor& triangle_in_place(Tensor& self, int64_t diagonal) {
  check_legal(self);
  at::assert_no_internal_overlap(self);
  write_triangle(kMake, kKeep, self, diagonal, self);
  return self;
}

template <Make kMake, Keep kKeep>
Tensor& triangle_out(const Tensor& self, int64_t diagonal, Tensor& out) {
  check_legal(self);
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "self is ", self.scalar_type(), ", out ",
              out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::assert_no_partial_overlap(out, self);
  at::native::resize_output(out, self.sizes());
  write_triangle(kMake, kKeep, self, diagonal, out);
  return out;
}

/// Which elements are kept, as a tensor; diagonals beyond the matrix are brought to its edges.
Tensor kept(Keep keep, const Tensor& self, int64_t diagonal) {
  const int64_t rows = self.size(-2), columns = self.size(-1);
  diagonal = std::clamp(diagonal, -rows - 1, columns + 1);
  const Tensor beyond = at::arange(columns).unsqueeze(0) - at::arange(rows).unsqueeze(1);
  return keep == Keep::kLower ? beyond <= diagonal : beyond >= diagonal;
}

/// Composed of a mask and where().
Tensor triu_composed(const Tensor& self, int64_t diagonal) {
  check_legal(self);
  return at::where(kept(Keep::kUpper, self, diagonal), self, at::zeros_like(self));
}

/// The defect: what is not kept is multiplied by 0, which leaves NaN as NaN.
Tensor tril_product(const Tensor& self, int64_t diagonal) {
  check_legal(self);
  return at::mul(self, kept(Keep::kLower, self, diagonal));
}

constexpr const char* kFunctional = "(Tensor self, int diagonal=0) -> Tensor";
constexpr const char* kInPlace = "(Tensor(a!) self, int diagonal=0) -> Tensor(a!)";
constexpr const char* kOut = ".out(Tensor self, int diagonal=0, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "tril_diagonal_of_32_bits", kFunctional,
         triangle<Make::kDiagonalOf32Bits, Keep::kLower>);
  define(m, "tril_diagonal_negated", kFunctional, triangle<Make::kDiagonalNegated, Keep::kLower>);
  define(m, "tril_product", kFunctional, tril_product);
  define(m, "tril_out_keeps_what_is_there", kOut,
         triangle_out<Make::kResultKeepsWhatIsThere, Keep::kLower>);
  define(m, "triu_first_batch_dimension", kFunctional,
         triangle<Make::kFirstBatchDimension, Keep::kUpper>);
  define(m, "triu_up_to_the_last_column_", kInPlace,
         triangle_in_place<Make::kUpToTheLastColumn, Keep::kUpper>);
  define(m, "triu_whole_vectors", kFunctional, triangle<Make::kWholeVectors, Keep::kUpper>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "tril_strided", kFunctional, triangle<Make::kReference, Keep::kLower>);
  define(m, "tril_strided_", kInPlace, triangle_in_place<Make::kReference, Keep::kLower>);
  define(m, "triu_strided", kOut, triangle_out<Make::kReference, Keep::kUpper>);
  define(m, "triu_composed", kFunctional, triu_composed);
}

}  // namespace
}  // namespace planted
