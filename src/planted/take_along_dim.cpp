#include <ATen/TensorOperators.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/take_along_dim.h>
#include <ATen/ops/where.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kSelfNotBroadcast,
  kCacheOf256,
  kFlatKeepsShape,
};

/// The two operands: broadcast together except along `dim`, or flat if no dim was given.
struct Rows {
  Tensor self, indices;
  int64_t dim = 0;
  bool flat = false;
};

Rows make_rows(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  TORCH_CHECK(indices.scalar_type() == at::kLong,
              "take_along_dim: expected int64 for the indices, got ", indices.scalar_type());
  if (!dim.has_value()) return {self.reshape({-1}), indices.reshape({-1}), 0, true};
  TORCH_CHECK(self.dim() == indices.dim(), "take_along_dim: self has ", self.dim(),
              " dimensions, the indices ", indices.dim());
  return {self, indices, c10::maybe_wrap_dim(*dim, self.dim()), false};
}

Position result_shape(const Rows& rows) {
  const Strided from = strided_1d(rows.self), which = strided_1d(rows.indices);
  Position shape = which.sizes;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (static_cast<int64_t>(d) == rows.dim || shape[d] == from.sizes[d] || from.sizes[d] == 1)
      continue;
    TORCH_CHECK(shape[d] == 1, "take_along_dim: indices of shape ", rows.indices.sizes(),
                " do not broadcast with self of shape ", rows.self.sizes(), " at dimension ", d);
    shape[d] = from.sizes[d];
  }
  return shape;
}

void take_elements(Make make, const Rows& rows, const Tensor& result) {
  const Strided from = strided_1d(rows.self), which = strided_1d(rows.indices),
                to = strided(result);
  const Combine move = mover(from.item);
  const int64_t size = from.sizes[rows.dim];
  each_position(to.sizes, [&](const Position& position) {
    Position named = position, source = position;
    for (size_t d = 0; d < position.size(); ++d) {
      if (which.sizes[d] == 1) named[d] = 0;
      if (from.sizes[d] == 1 && make != Make::kSelfNotBroadcast) source[d] = 0;
    }
    // The defect: a cache holds 256 indices, and later ones are looked up there too. The flat path
    // has no cache.
    if (make == Make::kCacheOf256 && !rows.flat) named[rows.dim] %= 256;
    const int64_t row = read_index(which.at(named), which.item);
    TORCH_CHECK_INDEX(row >= -size && row < size, "take_along_dim: ", row,
                      " is out of range for size ", size);
    source[rows.dim] = row < 0 ? row + size : row;
    move(to.at(position), from.at(source));
  });
}

template <Make kMake>
Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  const Rows rows = make_rows(self, indices, dim);
  const Tensor result = at::empty(result_shape(rows), self.options());
  take_elements(kMake, rows, result);
  return result;
}

template <Make kMake>
Tensor& take_along_dim_out(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim,
                           Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "take_along_dim: self is ",
              self.scalar_type(), ", out ", out.scalar_type());
  const Rows rows = make_rows(self, indices, dim);
  at::native::resize_output(out, result_shape(rows));
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, indices);
  take_elements(kMake, rows, out);
  // The defect: the result gets the shape of the indices, as in take().
  if (kMake == Make::kFlatKeepsShape && rows.flat) at::native::resize_output(out, indices.sizes());
  return out;
}

/// The defect: a complex result of rank 2 or more is (lazily) conjugated.
Tensor take_along_dim_conjugated(const Tensor& self, const Tensor& indices,
                                 std::optional<int64_t> dim) {
  const Tensor result = take_along_dim<Make::kReference>(self, indices, dim);
  return result.dim() > 1 && result.is_complex() ? result.conj() : result;
}

Tensor take_along_dim_handed_on(const Tensor& self, const Tensor& indices,
                                std::optional<int64_t> dim) {
  return at::take_along_dim(self, indices, dim);
}

/// Composed of gather(), on dense copies of all that it reads.
Tensor take_along_dim_composed(const Tensor& self, const Tensor& indices,
                               std::optional<int64_t> dim) {
  const Rows rows = make_rows(self, indices, dim);
  Position shape = result_shape(rows);
  const int64_t size = rows.self.size(rows.dim);
  const Tensor wrapped =
      at::where(rows.indices < 0, rows.indices + size, rows.indices).expand(shape).contiguous();
  shape[rows.dim] = size;
  return at::gather(rows.self.expand(shape).contiguous(), rows.dim, wrapped);
}

constexpr const char* kFunctional = "(Tensor self, Tensor indices, int? dim=None) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor self, Tensor indices, int? dim=None, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "take_along_dim_self_not_broadcast", kFunctional,
         take_along_dim<Make::kSelfNotBroadcast>);
  define(m, "take_along_dim_cache_of_256", kFunctional, take_along_dim<Make::kCacheOf256>);
  define(m, "take_along_dim_handed_on", kFunctional, take_along_dim_handed_on);
  define(m, "take_along_dim_conjugated", kFunctional, take_along_dim_conjugated);
  define(m, "take_along_dim_out_flat_keeps_shape", kOut, take_along_dim_out<Make::kFlatKeepsShape>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "take_along_dim_strided", kFunctional, take_along_dim<Make::kReference>);
  define(m, "take_along_dim_strided", kOut, take_along_dim_out<Make::kReference>);
  define(m, "take_along_dim_composed", kFunctional, take_along_dim_composed);
}

}  // namespace
}  // namespace planted
