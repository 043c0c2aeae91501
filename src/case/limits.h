#pragma once
// How far cases may reach. Limits narrow drawing, repair and shrinking, never the judge.

#include <algorithm>
#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

/// What nearly all cases keep to; a huge one is drawn now and then.
inline constexpr std::int64_t kUsualElements = 1 << 17;
inline constexpr std::int64_t kUsualStorageBytes = 4 << 20;
inline constexpr std::int64_t kHugeElements = 3 << 19;
/// What a case file may hold, and the widest limits.
inline constexpr std::int64_t kMostElements = 1 << 21;
/// The most that guarded memory holds of one operand, gaps included.
inline constexpr std::int64_t kMaxStorageBytes = kHugeElements * 16;

struct Limits {
  int max_rank = 10;                                  ///< of a drawn operand
  std::int64_t max_elements = kHugeElements;          ///< of one operand or result
  std::int64_t max_storage_bytes = kMaxStorageBytes;  ///< of one operand, gaps included
  int max_index_tensors = 8;                          ///< entries of a list; a mask is one
  DtypeSet dtypes = kAllDtypes;                       ///< of value operands
  DtypeSet index_dtypes = kIndexDtypes;
  bool negative_indices = true;
  bool masks = true;
  bool strided = true;  ///< layouts other than contiguous, and Operand::slices
  bool expanded = true;
  bool overlapping = true;
  bool illegal = true;
  /// What only calls on GPUs meet: GpuSettings without the deterministic flag, Operand::on_host.
  bool gpu = true;
  /// Sums6: a GPU that adds to its memory takes what is subnormal in float for zero.
  bool subnormal_sums = true;
};

/// The same without huge cases.
constexpr Limits usual(Limits limits) {
  limits.max_elements = std::min(limits.max_elements, kUsualElements);
  limits.max_storage_bytes = std::min(limits.max_storage_bytes, kUsualStorageBytes);
  return limits;
}

}  // namespace indexfuzz
