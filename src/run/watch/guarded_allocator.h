#pragma once
// PyTorch's CPU allocator over guarded memory.

#include <c10/core/Allocator.h>

namespace indexfuzz {

/// Every allocation lies in a region of GuardedHeap::instance(). Never destroyed.
c10::Allocator* guarded_allocator();

/// Makes it the CPU allocator of this process; what was allocated before is freed as it was
/// allocated. Aborts where another one stays in place.
void install_guarded_allocator();

}  // namespace indexfuzz
