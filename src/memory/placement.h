#pragma once
// Where a view begins between the guard pages of its region.
//
// Allocators align storages. A kernel may rely on that alignment for a view whose storage offset is
// 0, but for no other. So a view always begins at its storage offset from an aligned address: with
// Guard::kLeft there may be a gap between the guard page and the view; with Guard::kRight the
// storage offset grows until the view ends at the guard page.

#include "case/case.h"
#include "memory/region.h"

namespace indexfuzz {

/// How many bytes after its guard page a Guard::kLeft view begins.
std::int64_t bytes_behind_guard(const Strided& view, Dtype dtype);

/// By how many elements the storage offset of a Guard::kRight view grows so that the view, or its
/// whole storage, ends at the guard page.
std::int64_t elements_before_guard(const Strided& view, Dtype dtype, bool whole_storage);

/// Whether an operand's whole storage must be accessible. True for `out`, since a call that resizes
/// it copies its storage first, and where OperandSpec::copies_storage says so. Of every other
/// operand only the view is accessible.
bool whole_storage_accessible(const Case& c, int operand);

/// The canary that fills the bytes around an operand.
inline std::byte canary_around(const Case& c, int operand) {
  if (operand != written_memory(c)) return kCanary;
  const bool right = operand_at(c, operand).guard == Guard::kRight;
  return right ? kSmallCanary : kLargeCanary;
}

/// The argument of GuardedHeap::set_flush_left() for calls on the case.
bool heap_flush_left(const Case& c);

/// The operand's layout with the storage offset that it has when placed at its guard page.
Layout placed_layout(const Case& c, int operand);
/// The case with placed_layout() in all operands, as exported programs write them.
Case with_placed_layouts(Case c);

}  // namespace indexfuzz
