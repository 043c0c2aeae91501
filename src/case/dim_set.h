#pragma once
// A set of dimension numbers in one attribute of a case. Each is spelled from the front (0, 1, …)
// or from the end (-1, -2, …), as the call spells it.

#include <cstdint>

#include "case/dims.h"

namespace indexfuzz {

/// Bit kMaxDims + dim stands for `dim`, which lies in [-kMaxDims, kMaxDims].
constexpr std::int64_t dim_bit(int dim) {
  return std::int64_t{1} << (kMaxDims + dim);
}
constexpr bool has_dim(std::int64_t set, int dim) {
  return (set & dim_bit(dim)) != 0;
}

/// The dimensions of a set, from the lowest number up.
inline Dims dims_of(std::int64_t set) {
  Dims dims;
  for (int dim = -kMaxDims; dim <= kMaxDims && dims.size() < dims.capacity(); ++dim) {
    if (has_dim(set, dim)) dims.push_back(dim);
  }
  return dims;
}

/// The dimensions of a set that a tensor of this rank has, each spelled once: from the front if it
/// is spelled both ways.
inline std::int64_t legal_dims(std::int64_t set, int rank) {
  std::int64_t legal = 0;
  for (int dim = 0; dim < rank; ++dim) {
    if (has_dim(set, dim))
      legal |= dim_bit(dim);
    else if (has_dim(set, dim - rank))
      legal |= dim_bit(dim - rank);
  }
  return legal;
}

/// The set once dimension `gone`, counted from the front, is: those behind it move up.
inline std::int64_t without_dim(std::int64_t set, int gone) {
  std::int64_t left = 0;
  for (const std::int64_t dim : dims_of(set)) {
    if (dim != gone) left |= dim_bit(static_cast<int>(dim > gone ? dim - 1 : dim));
  }
  return left;
}

/// Whether a legal set has a dimension of a tensor of this rank, however it is spelled.
constexpr bool names_dim(std::int64_t set, int dim, int rank) {
  return has_dim(set, dim) || has_dim(set, dim - rank);
}

}  // namespace indexfuzz
