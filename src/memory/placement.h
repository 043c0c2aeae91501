#pragma once
// Where a view begins between the guard pages of its region.
//
// Allocators align storages, and a kernel may rely on that alignment wherever a view's storage
// offset is 0, on none of a view that has another. So a view begins as far behind an aligned
// address as its storage offset takes it, on either side: behind the page in front of it
// (Guard::kLeft) by a gap, before the page behind it (Guard::kRight) by a larger storage offset.

#include "case/case.h"
#include "memory/region.h"

namespace indexfuzz {

/// How many bytes behind the guard page in front of it a view of Guard::kLeft begins.
std::int64_t bytes_behind_guard(const Strided& view, Dtype dtype);

/// Elements that the storage offset of a view of Guard::kRight grows by so that it ends at the
/// page: the view itself, or its whole storage.
std::int64_t elements_before_guard(const Strided& view, Dtype dtype, bool whole_storage);

/// Whether all of an operand's storage must be accessible: a call that resizes `out` first copies
/// it. Of every other operand only the view is.
bool whole_storage_accessible(const Case& c, int operand);

/// What every byte around operand k is.
inline std::byte canary_around(const Case& c, int operand) {
  if (operand != written_memory(c)) return kCanary;
  const bool right = c.operands[static_cast<std::size_t>(operand)].guard == Guard::kRight;
  return right ? kSmallCanary : kLargeCanary;
}

/// On which side of their pages the memory lies that a kernel allocates itself.
bool heap_flush_left(const Case& c);

/// The operand's layout with the storage offset that it has in its place.
Layout placed_layout(const Case& c, int operand);
/// The case with all of them, as programs spell them out.
Case with_placed_layouts(Case c);

}  // namespace indexfuzz
