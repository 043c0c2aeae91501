#pragma once
// PyTorch's CPU allocator over guarded memory.

#include <c10/core/Allocator.h>

namespace indexfuzz {

/// Every allocation lies in a region of GuardedHeap::instance(). Never destroyed.
c10::Allocator* guarded_allocator();

/// Makes it the CPU allocator of this process; earlier allocations are freed by the allocator that
/// made them. Aborts if another one stays in place.
void install_guarded_allocator();

}  // namespace indexfuzz
