#pragma once
// How far cases may reach. Limits narrow drawing, repair and shrinking, never the judge.

#include <algorithm>
#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

struct Contract;

/// Nearly all cases keep to these; a huge one is drawn now and then.
inline constexpr std::int64_t kUsualElements = 1 << 17;
inline constexpr std::int64_t kUsualStorageBytes = 4 << 20;
inline constexpr std::int64_t kHugeElements = 3 << 19;
/// No shape that is read or decoded has more elements, so that arithmetic on it does not overflow.
/// A legal case has at most Limits::max_elements.
inline constexpr std::int64_t kMostElements = 1 << 21;
/// The most bytes of one operand, gaps included, that guarded memory holds.
inline constexpr std::int64_t kMaxStorageBytes = kHugeElements * 16;

struct Limits {
  int max_rank = 10;                                  ///< of a drawn operand
  std::int64_t max_elements = kHugeElements;          ///< of one operand or result
  std::int64_t max_storage_bytes = kMaxStorageBytes;  ///< of one operand, gaps included
  int max_list_entries = 8;                           ///< of a list of tensors
  DtypeSet dtypes = kAllDtypes;                       ///< of value operands
  DtypeSet index_dtypes = kIntegralDtypes;            ///< most operands take only kIndexDtypes
  bool negative_indices = true;
  bool masks = true;
  bool strided = true;  ///< layouts other than contiguous, and Operand::slices
  bool expanded = true;
  bool overlapping = true;
  bool illegal = true;
  /// Whether cases may have what only calls on GPUs have: GpuSettings except `deterministic`, and
  /// Operand::on_host.
  bool gpu = true;
  bool several_threads = true;  ///< of PyTorch's pool
  /// Whether fills may be is_subnormal(): a GPU that adds to its memory takes subnormal floats for
  /// zero.
  bool subnormal_sums = true;
  /// How the custom kernels promise less than ATen; null: they do not. Borrowed, and valid in one
  /// process only.
  const Contract* contract = nullptr;
};

/// The limits without huge cases.
constexpr Limits usual(Limits limits) {
  limits.max_elements = std::min(limits.max_elements, kUsualElements);
  limits.max_storage_bytes = std::min(limits.max_storage_bytes, kUsualStorageBytes);
  return limits;
}

}  // namespace indexfuzz
