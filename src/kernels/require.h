#pragma once
// The check that an element body makes of its indices.

#include "strided.h"

namespace kernels {

/// On the device, a false condition ends the kernel as assert() does: with a line on stderr, and
/// cudaErrorAssert from the next call that waits. A flag to be read back would cost every call a
/// synchronization. The host has checked before it ran a body, so that nothing is written there.
HOST_DEVICE inline void require_in_range([[maybe_unused]] bool in_range) {
#ifdef __CUDA_ARCH__
  if (!in_range) __assert_fail("an index is out of range", __FILE__, __LINE__, __func__);
#endif
}

}  // namespace kernels
