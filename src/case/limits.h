#pragma once
// How far cases may reach. Limits narrow drawing, repair and shrinking, never the judge.

#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

/// The most that guarded memory holds of one operand, gaps included.
inline constexpr std::int64_t kMaxStorageBytes = 4 << 20;

struct Limits {
  int max_rank = 8;                                   ///< of a drawn operand
  std::int64_t max_elements = 1 << 17;                ///< of one operand or result
  std::int64_t max_storage_bytes = kMaxStorageBytes;  ///< of one operand, gaps included
  int max_index_tensors = 5;
  DtypeSet dtypes = kAllDtypes;  ///< of value operands
  DtypeSet index_dtypes = kIndexDtypes;
  bool negative_indices = true;
  bool masks = true;
  bool strided = true;  ///< layouts other than contiguous
  bool expanded = true;
  bool overlapping = true;
  bool illegal = true;
  bool gpu = true;  ///< what only calls on GPUs meet: GpuSettings, Operand::far, Operand::on_host
};

}  // namespace indexfuzz
